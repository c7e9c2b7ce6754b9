/** Accounts, their PIX keys, and the movements that change their balances. */
export const ACCOUNT_SCHEMA = `
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  dialect TEXT NOT NULL,
  clientId TEXT NOT NULL,
  clientSecret TEXT NOT NULL,
  holderName TEXT NOT NULL,
  holderDocument TEXT NOT NULL,
  city TEXT NOT NULL,
  ispb TEXT NOT NULL,
  requiresCertificate INTEGER NOT NULL,
  amountMagic INTEGER NOT NULL,
  notificationSecret TEXT,
  options TEXT NOT NULL,
  openingCents INTEGER NOT NULL,
  balanceCents INTEGER NOT NULL CHECK (balanceCents >= 0),
  heldCents INTEGER NOT NULL DEFAULT 0 CHECK (heldCents >= 0),
  blockedCents INTEGER NOT NULL DEFAULT 0 CHECK (blockedCents >= 0),
  UNIQUE (provider, clientId)
) STRICT;

CREATE TABLE pixKey (
  key TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  kind TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE movement (
  sequence INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  direction TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT,
  endToEnd TEXT,
  originalEndToEnd TEXT,
  cents INTEGER NOT NULL CHECK (cents > 0),
  at TEXT NOT NULL,
  UNIQUE (accountId, direction, endToEnd)
) STRICT;
`
