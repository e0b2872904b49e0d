//! One transaction type over SQLite and PostgreSQL.
