-- The tables of the demo fund house (SQLite): companies, managers, funds, prices, reports, fees and orders.
-- No inputs. Grain: one row per key of each table. fund.license_no points at a UNIQUE key that is not the primary one;
-- holding points at report_period by a composite key; "order" and "fee schedule" need quoting on purpose.

CREATE TABLE company (
    company_code TEXT NOT NULL PRIMARY KEY,
    license_no   TEXT NOT NULL UNIQUE,
    name_en      TEXT NOT NULL,
    name_zh      TEXT NOT NULL,
    city         TEXT NOT NULL,
    founded_on   TEXT NOT NULL,
    website      TEXT
);

CREATE TABLE manager (
    manager_id   INTEGER PRIMARY KEY,
    staff_no     TEXT NOT NULL UNIQUE,
    name_en      TEXT NOT NULL,
    name_zh      TEXT NOT NULL,
    company_code TEXT NOT NULL REFERENCES company (company_code),
    mentor_id    INTEGER REFERENCES manager (manager_id),
    career_start TEXT NOT NULL,
    degree       TEXT
);

CREATE TABLE risk_grade (
    grade            TEXT NOT NULL PRIMARY KEY,
    name_en          TEXT NOT NULL,
    name_zh          TEXT NOT NULL,
    max_drawdown_pct REAL NOT NULL
);

CREATE TABLE benchmark (
    benchmark_code TEXT NOT NULL PRIMARY KEY,
    name_en        TEXT NOT NULL,
    name_zh        TEXT NOT NULL,
    provider       TEXT NOT NULL,
    base_date      TEXT
);

CREATE TABLE fund (
    fund_code      TEXT NOT NULL PRIMARY KEY,
    license_no     TEXT NOT NULL REFERENCES company (license_no),
    manager_id     INTEGER NOT NULL REFERENCES manager (manager_id),
    risk_grade     TEXT NOT NULL REFERENCES risk_grade (grade),
    benchmark_code TEXT REFERENCES benchmark (benchmark_code),
    name_en        TEXT NOT NULL,
    name_zh        TEXT NOT NULL UNIQUE,
    fund_type      TEXT NOT NULL CHECK (fund_type IN ('equity', 'mixed', 'bond', 'index', 'money')),
    currency       TEXT NOT NULL DEFAULT 'CNY',
    inception_date TEXT NOT NULL,
    status         TEXT NOT NULL CHECK (status IN ('open', 'suspended', 'closed'))
);

CREATE TABLE share_class (
    share_code   TEXT NOT NULL PRIMARY KEY,
    fund_code    TEXT NOT NULL REFERENCES fund (fund_code),
    class_letter TEXT NOT NULL CHECK (class_letter IN ('A', 'C', 'I')),
    min_purchase INTEGER NOT NULL,
    launched_on  TEXT NOT NULL,
    UNIQUE (fund_code, class_letter)
);

CREATE TABLE daily_nav (
    fund_code       TEXT NOT NULL REFERENCES fund (fund_code),
    nav_date        TEXT NOT NULL,
    nav             REAL NOT NULL CHECK (nav > 0),
    accumulated_nav REAL NOT NULL,
    return_pct      REAL,
    PRIMARY KEY (fund_code, nav_date)
);

CREATE TABLE report_period (
    fund_code     TEXT NOT NULL REFERENCES fund (fund_code),
    report_date   TEXT NOT NULL,
    report_type   TEXT NOT NULL,
    published_on  TEXT,
    net_assets_mn REAL NOT NULL,
    PRIMARY KEY (fund_code, report_date)
);

CREATE TABLE security (
    security_code TEXT NOT NULL PRIMARY KEY,
    name_en       TEXT NOT NULL,
    name_zh       TEXT NOT NULL,
    asset_kind    TEXT NOT NULL CHECK (asset_kind IN ('stock', 'bond')),
    industry      TEXT,
    exchange      TEXT NOT NULL
);

CREATE TABLE holding (
    fund_code       TEXT NOT NULL,
    report_date     TEXT NOT NULL,
    security_code   TEXT NOT NULL REFERENCES security (security_code),
    units           INTEGER NOT NULL,
    market_value_mn REAL NOT NULL,
    weight_pct      REAL NOT NULL CHECK (weight_pct > 0 AND weight_pct <= 100),
    PRIMARY KEY (fund_code, report_date, security_code),
    FOREIGN KEY (fund_code, report_date) REFERENCES report_period (fund_code, report_date)
);

CREATE TABLE "fee schedule" (
    share_code TEXT NOT NULL REFERENCES share_class (share_code),
    fee_kind   TEXT NOT NULL,
    tier_no    INTEGER NOT NULL,
    tier_from  INTEGER,
    tier_to    INTEGER,
    tier_unit  TEXT,
    rate       REAL,
    rate_text  TEXT NOT NULL,
    PRIMARY KEY (share_code, fee_kind, tier_no)
);

CREATE TABLE dividend (
    dividend_id INTEGER PRIMARY KEY,
    fund_code   TEXT NOT NULL REFERENCES fund (fund_code),
    record_date TEXT NOT NULL,
    pay_date    TEXT,
    per_share   REAL NOT NULL,
    note        TEXT
);

CREATE TABLE "order" (
    order_id      INTEGER PRIMARY KEY,
    share_code    TEXT NOT NULL REFERENCES share_class (share_code),
    side          TEXT NOT NULL CHECK (side IN ('buy', 'sell')),
    investor_kind TEXT NOT NULL,
    channel       TEXT NOT NULL,
    placed_at     TEXT NOT NULL,
    amount        INTEGER NOT NULL CHECK (amount > 0),
    status        TEXT NOT NULL
);

CREATE INDEX holding_by_security ON holding (security_code);
CREATE INDEX order_by_share ON "order" (share_code, placed_at);

CREATE VIEW fund_overview AS
SELECT f.fund_code, f.name_zh, f.fund_type, c.name_zh AS company_zh, COUNT(s.share_code) AS share_classes
FROM fund AS f
JOIN company AS c ON c.license_no = f.license_no
LEFT JOIN share_class AS s ON s.fund_code = f.fund_code
GROUP BY f.fund_code, f.name_zh, f.fund_type, c.name_zh;
