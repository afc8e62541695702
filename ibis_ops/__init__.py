"""Pure relational transforms as Ibis expressions, and queries as data: tables in, tables out."""
