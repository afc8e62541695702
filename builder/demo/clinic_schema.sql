-- The tables of the demo clinic (SQLite): staff, patients, stays, visits, laboratory, prescriptions and claims.
-- No inputs. Grain: one row per key of each table. department and staff point at each other; lab_result.value has no
-- declared type and holds integers, reals, text such as '<0.5' and NULL; claim_event stays empty until a claim changes.

CREATE TABLE department (
    department_id INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    floor         INTEGER NOT NULL,
    head_id       INTEGER REFERENCES staff (staff_id) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE staff (
    staff_id      INTEGER PRIMARY KEY,
    full_name     TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('doctor', 'nurse', 'technician', 'clerk')),
    department_id INTEGER NOT NULL REFERENCES department (department_id),
    supervisor_id INTEGER REFERENCES staff (staff_id),
    hired_on      TEXT NOT NULL,
    email         TEXT
);

CREATE TABLE patient (
    patient_id INTEGER PRIMARY KEY,
    mrn        TEXT NOT NULL UNIQUE,
    full_name  TEXT NOT NULL,
    sex        TEXT NOT NULL CHECK (sex IN ('F', 'M')),
    birth_date TEXT NOT NULL,
    city       TEXT NOT NULL,
    blood_type TEXT,
    insurer    TEXT
);

CREATE TABLE ward (
    ward_code     TEXT NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    department_id INTEGER NOT NULL REFERENCES department (department_id)
);

CREATE TABLE bed (
    ward_code TEXT NOT NULL REFERENCES ward (ward_code),
    bed_no    INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    PRIMARY KEY (ward_code, bed_no)
) WITHOUT ROWID;

CREATE TABLE diagnosis_code (
    code    TEXT NOT NULL PRIMARY KEY,
    title   TEXT NOT NULL,
    chapter TEXT NOT NULL
);

CREATE TABLE admission (
    admission_id  INTEGER PRIMARY KEY,
    patient_id    INTEGER NOT NULL REFERENCES patient (patient_id),
    ward_code     TEXT NOT NULL,
    bed_no        INTEGER NOT NULL,
    attending_id  INTEGER NOT NULL REFERENCES staff (staff_id),
    admitted_at   TEXT NOT NULL,
    discharged_at TEXT,
    FOREIGN KEY (ward_code, bed_no) REFERENCES bed (ward_code, bed_no)
);

CREATE TABLE admission_diagnosis (
    admission_id INTEGER NOT NULL REFERENCES admission (admission_id),
    rank_no      INTEGER NOT NULL,
    code         TEXT NOT NULL REFERENCES diagnosis_code (code),
    PRIMARY KEY (admission_id, rank_no)
);

CREATE TABLE visit (
    visit_id     INTEGER PRIMARY KEY,
    patient_id   INTEGER NOT NULL REFERENCES patient (patient_id),
    staff_id     INTEGER NOT NULL REFERENCES staff (staff_id),
    visited_at   TEXT NOT NULL,
    reason       TEXT NOT NULL,
    fee          INTEGER NOT NULL,
    follow_up_on TEXT
);

CREATE TABLE lab_result (
    lab_id     INTEGER PRIMARY KEY,
    patient_id INTEGER NOT NULL REFERENCES patient (patient_id),
    test_name  TEXT NOT NULL,
    value,
    unit       TEXT,
    flag       TEXT,
    taken_at   TEXT NOT NULL
);

CREATE TABLE prescription (
    prescription_id INTEGER PRIMARY KEY,
    visit_id        INTEGER NOT NULL REFERENCES visit (visit_id),
    drug            TEXT NOT NULL,
    dose_mg         REAL NOT NULL,
    days            INTEGER NOT NULL CHECK (days > 0),
    refills         INTEGER
);

CREATE TABLE insurance_claim (
    claim_no     TEXT NOT NULL PRIMARY KEY,
    patient_id   INTEGER NOT NULL REFERENCES patient (patient_id),
    visit_id     INTEGER REFERENCES visit (visit_id),
    admission_id INTEGER REFERENCES admission (admission_id),
    submitted_on TEXT NOT NULL,
    amount       REAL NOT NULL,
    approved     REAL,
    status       TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'rejected')),
    shortfall    REAL GENERATED ALWAYS AS (ROUND(amount - approved, 2)) VIRTUAL,
    CHECK ((visit_id IS NULL) <> (admission_id IS NULL))
);

CREATE TABLE scan_image (
    image_id     INTEGER PRIMARY KEY,
    admission_id INTEGER NOT NULL REFERENCES admission (admission_id),
    kind         TEXT NOT NULL,
    taken_at     TEXT NOT NULL,
    thumbnail    BLOB NOT NULL
);

CREATE TABLE claim_event (
    event_id   INTEGER PRIMARY KEY,
    claim_no   TEXT NOT NULL REFERENCES insurance_claim (claim_no),
    old_status TEXT NOT NULL,
    new_status TEXT NOT NULL
);

CREATE INDEX visit_by_patient ON visit (patient_id, visited_at);
CREATE INDEX lab_by_patient ON lab_result (patient_id, test_name);

CREATE TRIGGER claim_status_changed AFTER UPDATE OF status ON insurance_claim
WHEN old.status <> new.status
BEGIN
    INSERT INTO claim_event (claim_no, old_status, new_status) VALUES (new.claim_no, old.status, new.status);
END;
