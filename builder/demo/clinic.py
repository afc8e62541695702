"""The rows of the demo clinic: invented staff, patients, stays, visits, laboratory results, prescriptions and claims.

Visits and admissions happen in 2024 and nobody is real. Arithmetic is on whole numbers with one division at the end,
so that the same seed gives the same doubles on every platform.
"""

from datetime import date, datetime, timedelta
from random import Random
from typing import Any

Rows = list[tuple[Any, ...]]

# Name, floor, code and name of its ward (None: no beds).
_DEPARTMENTS = (
    ("Internal Medicine", 2, "IM1", "Internal Medicine North"),
    ("Cardiology", 3, "CA1", "Heart Ward"),
    ("Surgery", 4, "SU1", "Surgical Ward"),
    ("Neurology", 5, "NE1", "Neurology Ward"),
    ("Paediatrics", 1, "PE1", "Children's Ward"),
    ("Pulmonology", 3, "PU1", "Lung Ward"),
    ("Dermatology", 1, None, None),
    ("Laboratory", 0, None, None),
)
_FIRST_NAMES = {
    "F": "Ana Beatriz Clara Dana Elena Fatima Grace Hana Ines Joana Karin Lucía Maeve Nadia Olga Petra Rosa Sofía Zoë",
    "M": "Adam Bruno Carlos David Emil Farid George Hugo Ivan José Karl Liam Marco Nils Omar Pavel René Simon Tomás",
}
_LAST_NAMES = (
    "Abbott Berg Costa Dahl Evans Fischer García Horvat Ivanova Jansen Keller Lindqvist Moreau Novak O'Brien Petrov "
    "Quinn Rossi Sato Tanaka Ueda Vogel Weiss Young Zhang"
)
_CITIES = ("Riverton", "Riverton", "Riverton", "Lakeside", "Lakeside", "Old Harbour", "Mill Hill")
_BLOOD_TYPES = ("O+", "O+", "O+", "A+", "A+", "B+", "AB+", "O-", "A-", None, None)
_INSURERS = ("Alder Health", "Alder Health", "Birch Mutual", "Birch Mutual", "Cedar Care", "Dogwood Cover", None)
_CHAPTERS = (
    ("Infectious", "01", ("Viral gastroenteritis", "Influenza", "Cellulitis", "Urinary tract infection")),
    ("Endocrine", "02", ("Type 2 diabetes", "Hypothyroidism", "Obesity", "Hyponatraemia")),
    ("Nervous system", "03", ("Migraine", "Epilepsy", "Transient ischaemic attack", "Parkinson's disease")),
    ("Circulatory", "04", ("Essential hypertension", "Heart failure", "Atrial fibrillation", "Angina pectoris")),
    ("Respiratory", "05", ("Pneumonia", "Asthma", "Chronic obstructive pulmonary disease", "Acute bronchitis")),
    ("Digestive", "06", ("Appendicitis", "Gallstones", "Gastric ulcer", "Inguinal hernia")),
    ("Injury", "10", ("Hip fracture", "Wrist fracture", "Concussion", "Burn of hand")),
)
# Chapters that a ward mostly sees.
_WARD_CHAPTERS = {"IM1": (0, 1), "CA1": (3,), "SU1": (5, 6), "NE1": (2,), "PE1": (0, 4), "PU1": (4,)}
# Name, unit, decimals, lowest, highest (in units of the last decimal), normal range, detection limit as written.
_TESTS = (
    ("Glucose", "mmol/L", 1, 35, 160, (39, 70), None),
    ("CRP", "mg/L", 1, 5, 900, (0, 50), "<0.5"),
    ("Troponin", "ng/L", 0, 3, 90, (0, 14), "<3"),
    ("Haemoglobin", "g/L", 0, 80, 180, (120, 170), None),
    ("TSH", "mIU/L", 2, 5, 900, (40, 420), "<0.05"),
    ("Potassium", "mmol/L", 1, 28, 60, (35, 51), None),
)
_DRUGS = (
    ("Amoxicillin", (250, 500)),
    ("Metformin", (500, 850, 1000)),
    ("Ibuprofen", (200, 400, 600)),
    ("Bisoprolol", (1.25, 2.5, 5)),
    ("Atorvastatin", (10, 20, 40)),
    ("Salbutamol", (2, 4)),
    ("Omeprazole", (20, 40)),
    ("Sumatriptan", (50, 100)),
)
_REASONS = ("check-up", "check-up", "follow-up", "follow-up", "pain", "fever", "cough", "skin rash", "vaccination")
# People born since then are children: they lie in the children's ward and see its doctors.
_CHILD_FROM = "2008"
_CHILDREN_WARD = "PE1"
_VISITS_ONLY = 60  # so many of the first patients never stay in a ward
_YEAR_START = datetime(2024, 1, 1)
_YEAR_END = datetime(2024, 12, 31, 12)


def clinic(seed: int) -> dict[str, Rows]:
    """All rows of the demo clinic, by table name, in an order of insertion that foreign keys accept.

    About 3,100 rows in 13 tables, with department.head_id deferred to the end of the transaction; claim_event has none.
    Each table draws from its own generator, seeded from the seed and the table's name.
    """
    departments, staff = _staff(_rng(seed, "staff"))
    patients = _patients(_rng(seed, "patient"))
    wards = [(ward, name, row) for row, (_, _, ward, name) in enumerate(_DEPARTMENTS, 1) if ward is not None]
    beds = _beds(_rng(seed, "bed"), wards)
    codes = _diagnosis_codes(_rng(seed, "diagnosis_code"))
    admissions = _admissions(_rng(seed, "admission"), patients, wards, beds, staff)
    visits = _visits(_rng(seed, "visit"), patients, staff)
    return {
        "department": departments,
        "staff": staff,
        "patient": patients,
        "ward": wards,
        "bed": beds,
        "diagnosis_code": codes,
        "admission": admissions,
        "admission_diagnosis": _diagnoses(_rng(seed, "admission_diagnosis"), admissions, codes),
        "visit": visits,
        "lab_result": _lab_results(_rng(seed, "lab_result"), admissions, visits),
        "prescription": _prescriptions(_rng(seed, "prescription"), visits),
        "insurance_claim": _claims(_rng(seed, "insurance_claim"), patients, admissions, visits),
        "scan_image": _scans(_rng(seed, "scan_image"), admissions),
    }


def _rng(seed: int, table: str) -> Random:
    return Random(f"{seed}/clinic/{table}")


def _name(rng: Random, sex: str) -> str:
    return f"{rng.choice(_FIRST_NAMES[sex].split())} {rng.choice(_LAST_NAMES.split())}"


def _day(rng: Random, first: date, days: int) -> str:
    return (first + timedelta(days=rng.randrange(days))).isoformat()


def _is_child(patient: tuple[Any, ...]) -> bool:
    return bool(patient[4] >= _CHILD_FROM)


def _staff(rng: Random) -> tuple[Rows, Rows]:
    """Departments and staff: the first person leads the clinic and the first department, the next ones the others."""
    staff: Rows = []
    heads = len(_DEPARTMENTS)
    for position in range(heads * 7):
        department = position % heads + 1
        if position < heads:
            role, supervisor = "doctor", None if position == 0 else 1
        else:
            role = ("doctor", "nurse", "doctor", "nurse", "technician", "clerk", "doctor")[position // heads]
            role = "technician" if department == heads and role == "doctor" else role
            # Heads have the first ids; the second row of each department may lead a few of its own people.
            leaders = [department] if position < 2 * heads else [department, department, department + heads]
            supervisor = rng.choice(leaders)
        name = _name(rng, rng.choice("FM"))
        hired = _day(rng, date(2002, 1, 7), 365 * (14 if position < heads else 21))
        email = None if rng.random() < 0.15 else f"staff{position + 1:03d}@clinic.example"
        staff.append((position + 1, name, role, department, supervisor, hired, email))
    departments = [(row, name, floor, row) for row, (name, floor, _, _) in enumerate(_DEPARTMENTS, 1)]
    return departments, staff


def _patients(rng: Random) -> Rows:
    numbers = rng.sample(range(1_200, 99_000), 220)
    rows: Rows = []
    for patient_id, number in enumerate(numbers, 1):
        sex = rng.choice("FM")
        years = (2009, 2021) if patient_id % 7 == 0 else (1934, 2005)
        birth = date(rng.randint(*years), rng.randint(1, 12), rng.randint(1, 28)).isoformat()
        city, blood, insurer = rng.choice(_CITIES), rng.choice(_BLOOD_TYPES), rng.choice(_INSURERS)
        rows.append((patient_id, f"{number:07d}", _name(rng, sex), sex, birth, city, blood, insurer))
    return rows


def _beds(rng: Random, wards: Rows) -> Rows:
    kinds = ("standard", "standard", "standard", "single", "intensive")
    return [(ward[0], number, rng.choice(kinds)) for ward in wards for number in range(1, 13)]


def _diagnosis_codes(rng: Random) -> Rows:
    rows: Rows = []
    for chapter, prefix, titles in _CHAPTERS:
        endings = sorted(rng.sample(range(100), len(titles)))
        rows.extend((f"{prefix}{ending:02d}", title, chapter) for ending, title in zip(endings, titles, strict=True))
    return rows


def _admissions(rng: Random, patients: Rows, wards: Rows, beds: Rows, staff: Rows) -> Rows:
    free_from = {(ward, number): _YEAR_START for ward, number, _ in beds}
    home: dict[int, datetime] = {}  # patient: when the last stay ended
    rows: Rows = []
    for moment in sorted(_YEAR_START + timedelta(minutes=rng.randrange(30, 366 * 1440)) for _ in range(190)):
        ward_code, _, department = rng.choice(wards)
        bed = min(rng.sample([key for key, free in free_from.items() if key[0] == ward_code and free <= moment], 2))
        fitting = [row[0] for row in patients[_VISITS_ONLY:] if _is_child(row) == (ward_code == _CHILDREN_WARD)]
        at_home = [patient for patient in fitting if home.get(patient, _YEAR_START) <= moment]
        lately = [patient for patient in at_home if patient in home and moment - home[patient] < timedelta(days=30)]
        patient = rng.choice(lately if lately and rng.random() < 0.35 else at_home)
        left = moment + timedelta(minutes=rng.randint(18 * 60, 12 * 1440))
        free_from[bed] = home[patient] = left
        # The third doctor of a department works outside the wards.
        attending = rng.choice([row[0] for row in staff if row[3] == department and row[2] == "doctor"][:2])
        discharged = f"{left}" if left < _YEAR_END else None
        rows.append((len(rows) + 1, patient, *bed, attending, f"{moment}", discharged))
    return rows


def _diagnoses(rng: Random, admissions: Rows, codes: Rows) -> Rows:
    by_chapter = [[row[0] for row in codes if row[2] == chapter] for chapter, _, _ in _CHAPTERS]
    every = [row[0] for row in codes]
    rows: Rows = []
    for admission in admissions:
        usual = by_chapter[rng.choice(_WARD_CHAPTERS[admission[2]])]
        # The first codes of a chapter are the frequent ones.
        main = rng.choice(usual[:2] + usual)
        beside = usual if admission[2] == _CHILDREN_WARD else every
        others = rng.sample([code for code in beside if code != main], rng.choice((0, 0, 1, 1, 2)))
        rows.extend((admission[0], rank, code) for rank, code in enumerate([main, *others], 1))
    return rows


def _visits(rng: Random, patients: Rows, staff: Rows) -> Rows:
    laboratory, paediatrics = len(_DEPARTMENTS), [row[2] for row in _DEPARTMENTS].index(_CHILDREN_WARD) + 1
    doctors = [(row[0], row[3]) for row in staff if row[2] == "doctor" and row[3] != laboratory]
    moments = sorted((rng.randrange(366), rng.randrange(8 * 12, 18 * 12)) for _ in range(520))
    rows: Rows = []
    for day, slot in moments:
        moment = _YEAR_START + timedelta(days=day, minutes=5 * slot)
        # The last patients are known from stays only; low numbers come more often.
        patient = patients[min(rng.randrange(200), rng.randrange(200))]
        seen_by = [row for row, department in doctors if (department == paediatrics) == _is_child(patient)]
        follow_up = (moment + timedelta(days=rng.choice((7, 14, 28, 90)))).date().isoformat()
        rows.append(
            (
                len(rows) + 1,
                patient[0],
                rng.choice(seen_by),
                f"{moment}",
                rng.choice(_REASONS),
                rng.choice((40, 60, 60, 75, 90, 120)),
                follow_up if rng.random() < 0.4 else None,
            )
        )
    return rows


def _lab_results(rng: Random, admissions: Rows, visits: Rows) -> Rows:
    occasions = sorted(
        [(row[5], row[1]) for row in admissions] + [(row[3], row[1]) for row in visits if row[0] % 3 == 0]
    )
    rows: Rows = []
    for moment, patient in occasions:
        for test, unit, decimals, low, high, (normal_low, normal_high), limit in rng.sample(
            _TESTS, rng.choice((1, 2, 3))
        ):
            taken_at = f"{datetime.fromisoformat(moment) + timedelta(minutes=rng.randint(5, 90))}"
            chance = rng.random()
            if chance < 0.05:  # the sample was lost: no value, and mostly no unit
                rows.append((len(rows) + 1, patient, test, None, rng.choice((None, None, unit)), None, taken_at))
                continue
            if limit is not None and chance < 0.3:
                rows.append((len(rows) + 1, patient, test, limit, unit, None, taken_at))
                continue
            count = min(rng.randint(low, high), rng.randint(low, high))
            flag = "L" if count < normal_low else "H" if count > normal_high else None
            value = count if decimals == 0 else count / 10**decimals
            rows.append((len(rows) + 1, patient, test, value, unit, flag, taken_at))
    return rows


def _prescriptions(rng: Random, visits: Rows) -> Rows:
    rows: Rows = []
    for visit in visits:
        for drug, doses in rng.sample(_DRUGS, rng.choice((0, 1, 1, 2))):
            days = rng.choice((5, 7, 7, 10, 14, 28, 28, 90))
            refills = rng.choice((0, 1, 2, 3)) if days >= 28 else None
            rows.append((len(rows) + 1, visit[0], drug, float(rng.choice(doses)), days, refills))
    return rows


def _claims(rng: Random, patients: Rows, admissions: Rows, visits: Rows) -> Rows:
    insured = {row[0] for row in patients if row[7] is not None}
    events = [(row[5], row[1], None, row[0], rng.randint(90_000, 1_400_000)) for row in admissions if row[1] in insured]
    for visit in visits:
        if visit[1] in insured and rng.random() < 0.55:
            events.append((visit[3], visit[1], visit[0], None, visit[5] * 100 + rng.randint(0, 9_000)))
    numbers = sorted(rng.sample(range(210, 90_000), len(events)))
    rows: Rows = []
    for number, (moment, patient, visit_id, admission_id, cents) in zip(numbers, sorted(events, key=str), strict=True):
        submitted = (datetime.fromisoformat(moment) + timedelta(days=rng.randint(1, 20))).date().isoformat()
        status = rng.choice(("paid",) * 6 + ("pending", "pending", "rejected", "rejected"))
        share = rng.choice((60, 75, 80, 80, 90, 100))
        approved = {"paid": cents * share // 100 / 100, "rejected": 0.0, "pending": None}[status]
        rows.append((f"{number:07d}", patient, visit_id, admission_id, submitted, cents / 100, approved, status))
    return rows


def _scans(rng: Random, admissions: Rows) -> Rows:
    rows: Rows = []
    for admission in sorted(rng.sample(admissions, 24)):
        thumbnail = b"\x00THUMB" + rng.randbytes(rng.randint(40, 160))
        rows.append((len(rows) + 1, admission[0], rng.choice(("X-ray", "CT", "MRI")), admission[5], thumbnail))
    return rows
