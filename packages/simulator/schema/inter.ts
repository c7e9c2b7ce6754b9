/** Table of Inter's API: payments by the code that Inter gives them and the id by which a repeat is recognized. */
export const INTER_SCHEMA = `
CREATE TABLE interPayment (
  code TEXT PRIMARY KEY,
  accountId TEXT NOT NULL REFERENCES account,
  idempotencyId TEXT,
  body TEXT NOT NULL,
  cents INTEGER NOT NULL CHECK (cents > 0),
  recipient TEXT NOT NULL,
  message TEXT,
  answer TEXT NOT NULL,
  paymentDay TEXT NOT NULL,
  state TEXT NOT NULL,
  createdAt TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  UNIQUE (accountId, idempotencyId)
) STRICT;
`
