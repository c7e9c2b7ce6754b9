import { BACEN_SCHEMA } from './bacen.ts'
import { EFI_SCHEMA } from './efi.ts'
import { INTER_SCHEMA } from './inter.ts'
import { RECURRENCE_SCHEMA } from './recurrences.ts'
import { SICOOB_SCHEMA } from './sicoob.ts'
import { STARK_RECURRENCE_SCHEMA, STARK_SCHEMA } from './stark.ts'
import { WOOVI_SCHEMA } from './woovi.ts'

/** Accounts, their PIX keys, and the movements that change their balances. */
const ACCOUNT_SCHEMA = `
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

CREATE TABLE dictBucket (
  accountId TEXT NOT NULL REFERENCES account,
  name TEXT NOT NULL,
  tokens REAL NOT NULL CHECK (tokens >= 0),
  at TEXT NOT NULL,
  PRIMARY KEY (accountId, name)
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

/** Charges and their earlier revisions, the PIX that accounts receive, and the refunds of those. */
const CHARGE_SCHEMA = `
CREATE TABLE charge (
  accountId TEXT NOT NULL REFERENCES account,
  txid TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  locationId INTEGER NOT NULL,
  locationCreatedAt TEXT,
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

CREATE TABLE chargeRevision (
  accountId TEXT NOT NULL,
  txid TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (accountId, txid, revision)
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
  listedAt TEXT,
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
  plannedStatus TEXT NOT NULL,
  reason TEXT,
  requestedAt TEXT NOT NULL,
  settledAt TEXT,
  nature TEXT NOT NULL,
  listedAt TEXT,
  description TEXT,
  PRIMARY KEY (accountId, endToEnd, id)
) STRICT;
CREATE INDEX refundById ON refund (accountId, id);
CREATE INDEX refundByReturnId ON refund (accountId, returnId);
`

/** The PIX that accounts send, their recipients' returns, and the transfers whose answer a fault withheld. */
const TRANSFER_SCHEMA = `
CREATE TABLE transfer (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  endToEnd TEXT NOT NULL UNIQUE,
  cents INTEGER NOT NULL,
  status TEXT NOT NULL,
  silent INTEGER NOT NULL,
  plannedStatus TEXT NOT NULL,
  code TEXT,
  payerKey TEXT NOT NULL,
  message TEXT,
  recipient TEXT NOT NULL,
  plannedReturns TEXT NOT NULL,
  requestedAt TEXT NOT NULL,
  settledAt TEXT,
  isFromPanel INTEGER NOT NULL,
  listedAt TEXT,
  PRIMARY KEY (accountId, id)
) STRICT;
CREATE INDEX transferByTime ON transfer (accountId, requestedAt);

CREATE TABLE transferReturn (
  returnId TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  endToEnd TEXT NOT NULL,
  cents INTEGER NOT NULL,
  at TEXT NOT NULL,
  nature TEXT NOT NULL
) STRICT;
CREATE INDEX transferReturnByOriginal ON transferReturn (endToEnd);

CREATE TABLE withheldAnswer (
  accountId TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (accountId, id)
) STRICT;
`

/** Disputes and the replies to them. */
const DISPUTE_SCHEMA = `
CREATE TABLE dispute (
  accountId TEXT NOT NULL REFERENCES account,
  id TEXT NOT NULL,
  side TEXT NOT NULL,
  endToEnd TEXT NOT NULL,
  protocol INTEGER NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0),
  situation TEXT NOT NULL,
  status TEXT NOT NULL,
  blockedCents INTEGER NOT NULL CHECK (blockedCents >= 0),
  openedAt TEXT NOT NULL,
  dueAt TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  decidedAt TEXT,
  PRIMARY KEY (accountId, id),
  UNIQUE (accountId, endToEnd)
) STRICT;
CREATE INDEX disputeByTime ON dispute (accountId, openedAt);

CREATE TABLE disputeReply (
  accountId TEXT NOT NULL,
  disputeId TEXT NOT NULL,
  accept INTEGER,
  text TEXT NOT NULL,
  documents TEXT NOT NULL,
  at TEXT NOT NULL,
  FOREIGN KEY (accountId, disputeId) REFERENCES dispute
) STRICT;
`

/** Planned faults, and those that took effect on a call. */
const FAULT_SCHEMA = `
CREATE TABLE fault (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  operation TEXT,
  accountId TEXT,
  fault TEXT NOT NULL,
  timesLeft INTEGER NOT NULL,
  delayMs INTEGER,
  status INTEGER,
  body TEXT,
  pageSize INTEGER
) STRICT;

CREATE TABLE servedFault (
  accountId TEXT NOT NULL,
  operation TEXT NOT NULL,
  fault TEXT NOT NULL,
  itemId TEXT,
  at TEXT NOT NULL
) STRICT;
`

/** Configured responses of inboxes, and the requests that they received. */
const INBOX_SCHEMA = `
CREATE TABLE inboxResponse (
  name TEXT PRIMARY KEY,
  status INTEGER NOT NULL,
  delayMs INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL
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

/** Tasks that run at a later time. */
const SCHEDULE_SCHEMA = `
CREATE TABLE scheduledTask (
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  input TEXT NOT NULL,
  concurrencyGroup TEXT NOT NULL,
  dueAt INTEGER NOT NULL,
  retries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX scheduledTaskByDue ON scheduledTask (dueAt);
`

/** The initial tables. Columns are named as the fields of the rows' types, so that a row needs no mapping. */
const INITIAL_SCHEMA = [
  ACCOUNT_SCHEMA,
  CHARGE_SCHEMA,
  TRANSFER_SCHEMA,
  DISPUTE_SCHEMA,
  SCHEDULE_SCHEMA,
  FAULT_SCHEMA,
  INBOX_SCHEMA,
  BACEN_SCHEMA,
  EFI_SCHEMA,
  SICOOB_SCHEMA,
  INTER_SCHEMA,
  WOOVI_SCHEMA,
  STARK_SCHEMA,
].join('')

/** Terms of charges with a due date, and what their payments consist of. */
const DUE_CHARGE_STEP = `
ALTER TABLE charge ADD COLUMN due TEXT;
ALTER TABLE receipt ADD COLUMN parts TEXT;
`

/** The text of an account that requests the money of a transfer back. */
const DISPUTE_REQUEST_STEP = `
ALTER TABLE dispute ADD COLUMN details TEXT;
`

/** Steps that bring an older store up to date, in order. A released step never changes: add another one. */
export const SCHEMA_STEPS: readonly string[] = [
  INITIAL_SCHEMA,
  DUE_CHARGE_STEP,
  RECURRENCE_SCHEMA,
  STARK_RECURRENCE_SCHEMA,
  DISPUTE_REQUEST_STEP,
]
