/** Tables of recurrences (Pix Automático): the clock of their days, consent requests, locations, automatic charges and their tries. */
export const RECURRENCE_SCHEMA = `
CREATE TABLE recurrenceClock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  daysAhead INTEGER NOT NULL CHECK (daysAhead >= 0)
) STRICT;

CREATE TABLE recurrence (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  status TEXT NOT NULL CHECK (status IN ('created', 'approved', 'rejected', 'expired', 'cancelled')),
  contract TEXT NOT NULL,
  subject TEXT,
  debtorName TEXT NOT NULL,
  debtorDocument TEXT NOT NULL,
  startsOn TEXT NOT NULL,
  endsOn TEXT,
  frequency TEXT NOT NULL CHECK (frequency IN ('weekly', 'monthly', 'quarterly', 'semiannual', 'annual')),
  cents INTEGER CHECK (cents > 0),
  minimumCents INTEGER CHECK (minimumCents > 0),
  allowsRetries INTEGER NOT NULL,
  agreement TEXT,
  activationTxid TEXT,
  journey INTEGER CHECK (journey BETWEEN 1 AND 4),
  payerDocument TEXT,
  payerIspb TEXT,
  ceilingCents INTEGER CHECK (ceilingCents >= 0),
  fundsCents INTEGER CHECK (fundsCents >= 0),
  eveningFundsCents INTEGER CHECK (eveningFundsCents >= 0),
  plannedCodes TEXT NOT NULL,
  history TEXT NOT NULL,
  ending TEXT,
  createdAt TEXT NOT NULL,
  CHECK (cents IS NULL OR minimumCents IS NULL)
) STRICT;
CREATE INDEX recurrenceByTime ON recurrence (accountId, createdAt);

CREATE TABLE consentRequest (
  id TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  recurrenceId TEXT NOT NULL REFERENCES recurrence,
  status TEXT NOT NULL
    CHECK (status IN ('created', 'sent', 'received', 'rejected', 'accepted', 'expired', 'cancelled')),
  expiresAt TEXT NOT NULL,
  recipient TEXT NOT NULL,
  history TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX activeConsentRequest ON consentRequest (recurrenceId)
  WHERE status IN ('created', 'sent', 'received');

CREATE TABLE recurrenceLocation (
  id INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  token TEXT NOT NULL UNIQUE,
  recurrenceId TEXT UNIQUE REFERENCES recurrence,
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE automaticCharge (
  accountId TEXT NOT NULL REFERENCES account,
  txid TEXT NOT NULL,
  recurrenceId TEXT NOT NULL REFERENCES recurrence,
  status TEXT NOT NULL
    CHECK (status IN ('created', 'active', 'completed', 'expired', 'rejected', 'cancelled')),
  cents INTEGER NOT NULL CHECK (cents > 0),
  dueOn TEXT NOT NULL,
  adjustsDay INTEGER NOT NULL,
  firstTryOn TEXT NOT NULL,
  lastTryOn TEXT NOT NULL,
  cycle INTEGER NOT NULL,
  receiver TEXT NOT NULL,
  debtor TEXT,
  info TEXT,
  silent INTEGER NOT NULL,
  history TEXT NOT NULL,
  ending TEXT,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, txid)
) STRICT;
CREATE UNIQUE INDEX automaticChargeOfCycle ON automaticCharge (recurrenceId, cycle)
  WHERE status NOT IN ('rejected', 'cancelled');
CREATE INDEX automaticChargeByTime ON automaticCharge (accountId, createdAt);
CREATE INDEX automaticChargeByStatus ON automaticCharge (status, lastTryOn);

CREATE TABLE chargeTry (
  id INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL,
  txid TEXT NOT NULL,
  day TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('first', 'retry', 'same_day')),
  status TEXT NOT NULL
    CHECK (status IN ('requested', 'scheduled', 'paid', 'cancelled', 'rejected', 'expired')),
  endToEnd TEXT NOT NULL UNIQUE,
  code TEXT,
  history TEXT NOT NULL,
  FOREIGN KEY (accountId, txid) REFERENCES automaticCharge
) STRICT;
CREATE INDEX chargeTryByCharge ON chargeTry (accountId, txid);
CREATE INDEX chargeTryByStatus ON chargeTry (status);
CREATE UNIQUE INDEX pendingChargeTry ON chargeTry (accountId, txid) WHERE status IN ('requested', 'scheduled');
CREATE UNIQUE INDEX paidChargeTry ON chargeTry (accountId, txid) WHERE status = 'paid';
`
