"""The rows of the demo fund house: invented companies, managers, funds, prices, reports, fees and orders.

Every name and every code is made up. Arithmetic is on whole numbers (basis points, hundredths) with one division at
the end, so that the same seed gives the same doubles on every platform.
"""

from datetime import date, timedelta
from random import Random
from string import ascii_letters
from typing import Any

Rows = list[tuple[Any, ...]]


def _pairs(text: str) -> list[tuple[str, str]]:
    """English and Chinese halves of words such as "Chen陈"."""
    return [(word.rstrip(word.lstrip(ascii_letters)), word.lstrip(ascii_letters)) for word in text.split()]


_COMPANIES = (
    ("Yunling Asset Management", "云岭基金管理有限公司", "上海", "1998-06-18"),
    ("Chenghu Fund Management", "澄湖基金管理有限公司", "上海", "2001-03-05"),
    ("Beiqiao Capital", "北桥基金管理有限公司", "北京", "1999-11-22"),
    ("Qingshi Investment", "青石基金管理有限公司", "深圳", "2003-09-01"),
    ("Haitang Fund Management", "海棠基金管理有限公司", "上海", "2005-07-14"),
    ("Wangchuan Asset Management", "望川基金管理有限公司", "北京", "2008-02-29"),
    ("Songjian Fund Management", "松间基金管理有限公司", "深圳", "2010-10-10"),
    ("Yuanfan Capital", "远帆基金管理有限公司", "上海", "2012-04-16"),
    ("Jinmai Investment", "金麦基金管理有限公司", "广州", "2004-12-08"),
    ("Qinglan Fund Management", "晴岚基金管理有限公司", "北京", "2015-05-20"),
)
_SURNAMES = _pairs("Chen陈 Lin林 Zhao赵 Zhou周 Xu徐 Sun孙 He何 Gao高 Luo罗 Song宋 Tang唐 Shen沈")
_GIVEN_NAMES = _pairs(
    "Yichen亦辰 Mingyuan明远 Siqi思齐 Ruolan若兰 Jianping建平 Wenbo文博 Xiaoyu晓雨 Haoran浩然 Jingyi静怡 Zhiqiang志强"
)
_GRADES = (
    ("R1", "Low risk", "低风险", 1.0),
    ("R2", "Low to medium risk", "中低风险", 5.0),
    ("R3", "Medium risk", "中风险", 15.0),
    ("R4", "Medium to high risk", "中高风险", 30.0),
    ("R5", "High risk", "高风险", 50.0),
)
_BENCHMARKS = (
    ("Large Cap 300 Index", "大盘300指数", "Huaheng Index", "2004-12-31"),
    ("Mid Cap 500 Index", "中盘500指数", "Huaheng Index", "2004-12-31"),
    ("Growth Board Index", "成长板指数", "Huaheng Index", "2010-05-31"),
    ("Dividend Select Index", "红利精选指数", "Jingce Data", "2005-06-30"),
    ("Health Care Index", "医药健康指数", "Jingce Data", None),
    ("Aggregate Bond Index", "全债综合指数", "Bondline", "2001-12-31"),
    ("Credit Bond Index", "信用债指数", "Bondline", "2007-12-31"),
    ("Balanced 60/40 Index", "股债平衡指数", "Jingce Data", None),
)
_THEMES = {
    "equity": (
        ("Value Select", "价值精选"),
        ("Quality Growth", "优质成长"),
        ("Health Care", "医疗健康"),
        ("Technology Growth", "科技成长"),
        ("Dividend Income", "红利收益"),
    ),
    "mixed": (
        ("Steady Growth", "稳健成长"),
        ("Balanced Allocation", "均衡配置"),
        ("New Economy", "新经济"),
        ("Flexible Growth", "灵活成长"),
    ),
    "bond": (("Pure Bond", "纯债"), ("Credit Bond", "信用债"), ("Short Term Bond", "短债"), ("Income Bond", "收益债")),
    "index": (("Large Cap 300 Index", "大盘300指数"), ("Dividend Index", "红利指数")),
    "money": (("Cash Treasury", "现金管理"), ("Daily Liquidity", "日日添利")),
}
_TYPE_NAMES = {
    "equity": ("Equity Fund", "股票型基金"),
    "mixed": ("Mixed Fund", "混合型基金"),
    "bond": ("Fund", "债券型基金"),
    "index": ("Fund", "基金"),
    "money": ("Money Market Fund", "货币市场基金"),
}
# The types of a company's four funds; companies take the patterns in turn.
_TYPE_PATTERNS = (
    ("equity", "mixed", "bond", "equity"),
    ("equity", "mixed", "bond", "index"),
    ("equity", "mixed", "bond", "money"),
    ("mixed", "equity", "bond", "mixed"),
)
_TYPE_GRADES = {
    "equity": ("R4", "R5"),
    "mixed": ("R3", "R4"),
    "bond": ("R2", "R2", "R3"),
    "index": ("R4",),
    "money": ("R1",),
}
_TYPE_BENCHMARKS = {
    "equity": (0, 1, 2, 3, 4),
    "mixed": (7, 0, None),
    "bond": (5, 6, None),
    "index": (0, 3),
    "money": (None,),
}
# Daily moves in basis points: lowest, highest.
_TYPE_MOVES = {"equity": (-190, 200), "mixed": (-120, 130), "bond": (-18, 22), "index": (-150, 155), "money": (0, 1)}
_STOCK_NAMES = _pairs("Lanhe岚禾 Dingxin鼎新 Yufeng雨丰 Tianqu天渠 Minghai明海 Zhuoyue卓岳")
# Industry: the word that ends a company's English name, and its Chinese one.
_INDUSTRIES = {
    "电子": ("Electronics", "电子"),
    "医药": ("Pharma", "药业"),
    "银行": ("Bank", "银行"),
    "食品饮料": ("Foods", "食品"),
    "新能源": ("New Energy", "新能"),
    "机械": ("Machinery", "重工"),
    "化工": ("Chemicals", "化学"),
    "传媒": ("Media", "传媒"),
}
_BOND_ISSUERS = (("Treasury", "国债"), ("Policy Bank", "政金债"), ("Railway", "铁路债"), ("City Rail", "城轨债"))
_REPORTS = (("2023-06-30", "interim"), ("2023-09-30", "Q3"), ("2023-12-31", "annual"), ("2024-03-31", "Q1"))
_FIRST_TRADING_DAY = date(2024, 4, 1)
_TRADING_DAYS = 50


def fund_house(seed: int) -> dict[str, Rows]:
    """All rows of the demo fund house, by table name, in an order of insertion that foreign keys accept.

    About 4,600 rows in 13 tables. Each table draws from its own generator, seeded from the seed and the table's name.
    """
    companies = _companies(_rng(seed, "company"))
    managers = _managers(_rng(seed, "manager"), companies)
    benchmarks = _benchmarks(_rng(seed, "benchmark"))
    funds = _funds(_rng(seed, "fund"), companies, managers, benchmarks)
    shares = _share_classes(_rng(seed, "share_class"), funds)
    dividends = _dividends(_rng(seed, "dividend"), funds)
    periods = _report_periods(_rng(seed, "report_period"), funds)
    securities = _securities(_rng(seed, "security"))
    return {
        "company": companies,
        "manager": managers,
        "risk_grade": list(_GRADES),
        "benchmark": benchmarks,
        "fund": funds,
        "share_class": shares,
        "daily_nav": _daily_nav(_rng(seed, "daily_nav"), funds, dividends),
        "report_period": periods,
        "security": securities,
        "holding": _holdings(_rng(seed, "holding"), funds, periods, securities),
        "fee schedule": _fees(_rng(seed, "fee schedule"), funds, shares),
        "dividend": dividends,
        "order": _orders(_rng(seed, "order"), shares),
    }


def _rng(seed: int, table: str) -> Random:
    return Random(f"{seed}/fund_house/{table}")


def _codes(rng: Random, count: int, low: int, high: int, width: int) -> list[str]:
    return [f"{number:0{width}d}" for number in sorted(rng.sample(range(low, high), count))]


def _day(rng: Random, first: date, days: int) -> str:
    return (first + timedelta(days=rng.randrange(days))).isoformat()


def _companies(rng: Random) -> Rows:
    codes = _codes(rng, len(_COMPANIES), 11, 990, 4)
    licences = _codes(rng, len(_COMPANIES), 100, 9000, 5)
    rng.shuffle(licences)
    rows: Rows = []
    for position, (name_en, name_zh, city, founded_on) in enumerate(_COMPANIES):
        website = None if position % 4 == 3 else f"www.{name_en.split()[0].lower()}.example"
        rows.append((codes[position], f"A{licences[position]}", name_en, name_zh, city, founded_on, website))
    return rows


def _managers(rng: Random, companies: Rows) -> Rows:
    names = rng.sample([(last, first) for last in _SURNAMES for first in _GIVEN_NAMES], 26)
    staff_numbers = _codes(rng, len(names), 30, 9000, 5)
    starts = sorted(_day(rng, date(1999, 1, 1), 365 * 20) for _ in names)
    rows: Rows = []
    for position, ((last_en, last_zh), (first_en, first_zh)) in enumerate(names):
        company_code = companies[position % len(companies)][0]
        # A mentor has an earlier start: the rows are in order of career start.
        mentor_id = rng.randint(1, position) if position >= 4 and rng.random() < 0.75 else None
        degree = rng.choice(("Master", "Master", "Doctor", "Bachelor", None))
        rows.append(
            (
                position + 1,
                staff_numbers[position],
                f"{first_en} {last_en}",
                last_zh + first_zh,
                company_code,
                mentor_id,
                starts[position],
                degree,
            )
        )
    return rows


def _benchmarks(rng: Random) -> Rows:
    codes = _codes(rng, len(_BENCHMARKS), 10, 99000, 6)
    return [(code, *rest) for code, rest in zip(codes, _BENCHMARKS, strict=True)]


def _funds(rng: Random, companies: Rows, managers: Rows, benchmarks: Rows) -> Rows:
    codes = _codes(rng, 4 * len(companies), 100, 20000, 6)
    rng.shuffle(codes)
    rows: Rows = []
    for position, company in enumerate(companies):
        team = [manager[0] for manager in managers if manager[4] == company[0]]
        brand_en, brand_zh = company[2].split()[0], company[3][:2]
        used: set[str] = set()
        for fund_type in _TYPE_PATTERNS[position % len(_TYPE_PATTERNS)]:
            theme_en, theme_zh = rng.choice([theme for theme in _THEMES[fund_type] if theme[0] not in used])
            used.add(theme_en)
            suffix_en, suffix_zh = _TYPE_NAMES[fund_type]
            benchmark = rng.choice(_TYPE_BENCHMARKS[fund_type])
            rows.append(
                (
                    codes[len(rows)],
                    company[1],
                    rng.choice(team),
                    rng.choice(_TYPE_GRADES[fund_type]),
                    None if benchmark is None else benchmarks[benchmark][0],
                    f"{brand_en} {theme_en} {suffix_en}",
                    brand_zh + theme_zh + suffix_zh,
                    fund_type,
                    "USD" if rng.random() < 0.12 else "CNY",
                    _day(rng, date(2016, 1, 4), 365 * 6),
                    "suspended" if rng.random() < 0.18 else "open",
                )
            )
    return rows


def _share_classes(rng: Random, funds: Rows) -> Rows:
    letters = [letter for _ in funds for letter in rng.choice(("AC", "AC", "AC", "A", "ACI", "AI"))]
    # The first class of a fund is always A, so a new fund starts at each A.
    codes = _codes(rng, len(letters), 300, 90000, 6)
    rows: Rows = []
    fund_number = -1
    for code, letter in zip(codes, letters, strict=True):
        fund_number += letter == "A"
        minimum = {"A": rng.choice((10, 100, 1000)), "C": 10, "I": 1_000_000}[letter]
        fund = funds[fund_number]
        launched = fund[9] if letter == "A" else _day(rng, date(2022, 1, 4), 600)
        rows.append((code, fund[0], letter, minimum, launched))
    return rows


def _dividends(rng: Random, funds: Rows) -> Rows:
    rows: Rows = []
    for fund in funds:
        for _ in range(rng.choice((0, 0, 1, 2, 3, 4, 5))):
            record = date(2022, 1, 10) + timedelta(days=rng.randrange(800))
            paid = rng.random() >= 0.12
            pay_date = (record + timedelta(days=rng.randint(2, 9))).isoformat() if paid else None
            note = "再投资" if not paid else rng.choice((None, "现金分红"))
            rows.append((len(rows) + 1, fund[0], record.isoformat(), pay_date, rng.randint(5, 240) / 1000, note))
    return rows


def _daily_nav(rng: Random, funds: Rows, dividends: Rows) -> Rows:
    days: list[str] = []
    day = _FIRST_TRADING_DAY
    while len(days) < _TRADING_DAYS:
        if day.weekday() < 5:
            days.append(day.isoformat())
        day += timedelta(days=1)
    rows: Rows = []
    for fund in funds:
        fund_type = fund[7]
        # Net asset values are counted in ten-thousandths; dividends all lie before the first trading day.
        nav = 10_000 if fund_type == "money" else rng.randint(7_500, 24_000)
        paid_out = sum(round(row[4] * 10_000) for row in dividends if row[1] == fund[0])
        previous: int | None = None
        for nav_date in days:
            if previous is not None:
                nav = previous + (previous * rng.randint(*_TYPE_MOVES[fund_type]) + 5_000) // 10_000
            change = None if previous is None else round(100 * (nav - previous) / previous, 2)
            rows.append((fund[0], nav_date, nav / 10_000, (nav + paid_out) / 10_000, change))
            previous = nav
    return rows


def _report_periods(rng: Random, funds: Rows) -> Rows:
    rows: Rows = []
    for fund in funds:
        tenths = rng.randint(800, 60_000)
        for report_date, report_type in _REPORTS:
            delay = rng.randint(15, 58)
            published = (date.fromisoformat(report_date) + timedelta(days=delay)).isoformat()
            # The newest reports are partly still to come.
            pending = report_type == "Q1" and rng.random() < 0.2
            rows.append((fund[0], report_date, report_type, None if pending else published, tenths / 10))
            tenths = tenths * rng.randint(82, 121) // 100
    return rows


def _securities(rng: Random) -> Rows:
    stocks = [(name, industry) for industry in _INDUSTRIES for name in rng.sample(_STOCK_NAMES, 5)]
    codes = _codes(rng, len(stocks), 5, 3_000, 6)
    rows: Rows = []
    for code, ((brand_en, brand_zh), industry) in zip(codes, stocks, strict=True):
        word_en, word_zh = _INDUSTRIES[industry]
        exchange = rng.choice(("SH", "SZ", "SZ", "HK"))
        rows.append((code, f"{brand_en} {word_en}", brand_zh + word_zh, "stock", industry, exchange))
    bonds = [(issuer, year) for issuer in _BOND_ISSUERS for year in range(2019, 2024)]
    for code, ((issuer_en, issuer_zh), year) in zip(_codes(rng, len(bonds), 10_000, 25_000, 6), bonds, strict=True):
        rows.append((code, f"{issuer_en} Bond {year}", f"{year}年{issuer_zh}", "bond", None, rng.choice(("SH", "IB"))))
    return rows


def _holdings(rng: Random, funds: Rows, periods: Rows, securities: Rows) -> Rows:
    pools = {kind: [row[0] for row in securities if row[3] == kind] for kind in ("stock", "bond")}
    types = {fund[0]: fund[7] for fund in funds}
    rows: Rows = []
    held: dict[str, list[str]] = {}
    for fund_code, report_date, _, _, net_assets in periods:
        fund_type = types[fund_code]
        if fund_type == "money":
            continue
        stocks = {"equity": 8, "index": 8, "mixed": 5, "bond": 1}[fund_type]
        kept = held.get(fund_code, [])
        now: list[str] = []
        for kind, wanted in (("stock", stocks), ("bond", 8 - stocks)):
            old = [code for code in kept if code in pools[kind]]
            old = rng.sample(old, len(old) * 7 // 10)
            now += old + rng.sample([code for code in pools[kind] if code not in kept], wanted - len(old))
        held[fund_code] = now
        # Weights in hundredths of a percent, all different within a report.
        for code, weight in zip(sorted(now), rng.sample(range(90, 985), len(now)), strict=True):
            value = round(net_assets * 10) * weight // 1_000  # hundredths of a million
            rows.append((fund_code, report_date, code, rng.randint(20, 9_000) * 100, value / 100, weight / 100))
    return rows


def _fees(rng: Random, funds: Rows, shares: Rows) -> Rows:
    types = {fund[0]: fund[7] for fund in funds}
    management = {
        "equity": (120, 150),
        "mixed": (100, 120, 150),
        "bond": (30, 40, 60),
        "index": (15, 50),
        "money": (15, 30),
    }
    rows: Rows = []
    for share_code, fund_code, letter, _, _ in shares:
        fund_type = types[fund_code]
        light = fund_type in ("bond", "money")
        yearly = rng.choice(management[fund_type])
        # kind, from, to, unit, rate in basis points (None: a flat amount)
        lines: list[tuple[str, int | None, int | None, str | None, int | None]] = [
            ("management", None, None, None, yearly * 4 // 5 if letter == "I" else yearly),
            ("custody", None, None, None, 10 if light else rng.choice((20, 25))),
        ]
        if letter == "A" and fund_type != "money":
            first = rng.choice((60, 80)) if light else rng.choice((120, 150))
            lines.append(("subscription", 0, 1_000_000, "CNY", first))
            lines.append(("subscription", 1_000_000, 5_000_000, "CNY", first * 3 // 5))
            lines.append(("subscription", 5_000_000, None, "CNY", None))
        else:
            lines.append(("subscription", 0, None, "CNY", 0))
        if letter == "C":
            lines.append(("service", None, None, None, rng.choice((20, 25, 40))))
        if fund_type != "money":
            lines.append(("redemption", 0, 7, "days", 150))
            lines.append(("redemption", 7, None, "days", 0 if letter == "C" else 50))
        tiers: dict[str, int] = {}
        for kind, start, end, unit, points in lines:
            tiers[kind] = tiers.get(kind, 0) + 1
            text = "1000元/笔" if points is None else f"{points // 100}.{points % 100:02d}%"
            rate = None if points is None else points / 10_000
            rows.append((share_code, kind, tiers[kind], start, end, unit, rate, text))
    return rows


def _orders(rng: Random, shares: Rows) -> Rows:
    stamps = sorted(
        (date(2024, 4, 1) + timedelta(days=rng.randrange(89)), rng.randrange(9 * 3600, 15 * 3600)) for _ in range(380)
    )
    rows: Rows = []
    for day, second in stamps:
        share = rng.choice(shares)
        institution = share[2] == "I" or rng.random() < 0.2
        amount = rng.randint(100, 900) * 10_000 if institution else rng.randint(1, 2_500) * 100
        placed_at = f"{day.isoformat()} {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        rows.append(
            (
                len(rows) + 1,
                share[0],
                rng.choice(("buy", "buy", "buy", "sell", "sell")),
                "机构" if institution else "个人",
                "直销" if institution else rng.choice(("直销", "银行", "券商", "互联网")),
                placed_at,
                amount,
                rng.choice(("confirmed",) * 8 + ("cancelled", "pending")),
            )
        )
    return rows
