import { DISPUTES_SCHEMA } from './disputes.ts'
import { EFI_LOCATIONS_AND_REPORTS_SCHEMA, EFI_SCHEMA } from './efi.ts'
import { FAULT_DETAILS_SCHEMA } from './faults.ts'
import { PANEL_SCHEMA } from './panel.ts'
import { WOOVI_CODES_SCHEMA, WOOVI_NOTIFICATION_KEY_SCHEMA, WOOVI_SCHEMA } from './woovi.ts'

/** The simulator's tables. Columns are named as the fields of the rows' types, so that a row needs no mapping. */
const INITIAL_SCHEMA = `
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
  noticeSecret TEXT,
  openingCents INTEGER NOT NULL,
  balanceCents INTEGER NOT NULL CHECK (balanceCents >= 0),
  heldCents INTEGER NOT NULL DEFAULT 0 CHECK (heldCents >= 0),
  UNIQUE (provider, clientId)
) STRICT;

CREATE TABLE pixKey (
  key TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  kind TEXT NOT NULL,
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE charge (
  accountId TEXT NOT NULL REFERENCES account,
  txid TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  locationId INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL,
  cents INTEGER NOT NULL,
  key TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  expiresInSeconds INTEGER NOT NULL,
  payload TEXT NOT NULL,
  silent INTEGER NOT NULL,
  details TEXT NOT NULL,
  PRIMARY KEY (accountId, txid)
) STRICT;

CREATE TABLE receipt (
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  txid TEXT,
  cents INTEGER NOT NULL,
  at TEXT NOT NULL,
  key TEXT NOT NULL,
  message TEXT,
  payerName TEXT NOT NULL,
  payerDocument TEXT NOT NULL,
  payerIspb TEXT NOT NULL,
  PRIMARY KEY (accountId, endToEnd)
) STRICT;
CREATE INDEX receiptByTxid ON receipt (accountId, txid);
CREATE INDEX receiptByTime ON receipt (accountId, at);

CREATE TABLE refund (
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  id TEXT NOT NULL,
  returnId TEXT NOT NULL,
  cents INTEGER NOT NULL,
  status TEXT NOT NULL,
  silent INTEGER NOT NULL,
  fate TEXT NOT NULL,
  reason TEXT,
  requestedAt TEXT NOT NULL,
  settledAt TEXT,
  PRIMARY KEY (accountId, endToEnd, id)
) STRICT;

CREATE TABLE sending (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  endToEnd TEXT NOT NULL UNIQUE,
  cents INTEGER NOT NULL,
  status TEXT NOT NULL,
  silent INTEGER NOT NULL,
  fate TEXT NOT NULL,
  code TEXT,
  payerKey TEXT NOT NULL,
  message TEXT,
  recipient TEXT NOT NULL,
  comesBack TEXT NOT NULL,
  requestedAt TEXT NOT NULL,
  settledAt TEXT,
  PRIMARY KEY (accountId, id)
) STRICT;
CREATE INDEX sendingByTime ON sending (accountId, requestedAt);

CREATE TABLE returned (
  returnId TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  cents INTEGER NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX returnedByOriginal ON returned (endToEnd);

CREATE TABLE withheld (
  accountId TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (accountId, id)
) STRICT;

CREATE TABLE movement (
  sequence INTEGER PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  direction TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT,
  endToEnd TEXT NOT NULL,
  originalEndToEnd TEXT,
  cents INTEGER NOT NULL CHECK (cents > 0),
  at TEXT NOT NULL,
  UNIQUE (accountId, direction, endToEnd)
) STRICT;

CREATE TABLE webhook (
  accountId TEXT NOT NULL REFERENCES account,
  key TEXT NOT NULL,
  url TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  PRIMARY KEY (accountId, key)
) STRICT;

CREATE TABLE agenda (
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  subject TEXT NOT NULL,
  lane TEXT NOT NULL,
  dueAt INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX agendaByDue ON agenda (dueAt);

CREATE TABLE fault (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  operation TEXT,
  fault TEXT NOT NULL,
  timesLeft INTEGER NOT NULL,
  delayMs INTEGER
) STRICT;

CREATE TABLE inboxAnswer (
  name TEXT PRIMARY KEY,
  status INTEGER NOT NULL,
  delayMs INTEGER NOT NULL,
  headers TEXT NOT NULL
) STRICT;

CREATE TABLE inboxEntry (
  sequence INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  at TEXT NOT NULL,
  method TEXT NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX inboxEntryByName ON inboxEntry (name);
`

/** What brings an older store up to date, in order; a released step never changes, the next one is added. */
export const SCHEMA_STEPS: readonly string[] = [
  INITIAL_SCHEMA,
  WOOVI_SCHEMA,
  'ALTER TABLE fault ADD COLUMN accountId TEXT',
  DISPUTES_SCHEMA,
  PANEL_SCHEMA,
  FAULT_DETAILS_SCHEMA,
  EFI_SCHEMA,
  WOOVI_NOTIFICATION_KEY_SCHEMA,
  WOOVI_CODES_SCHEMA,
  EFI_LOCATIONS_AND_REPORTS_SCHEMA,
]
