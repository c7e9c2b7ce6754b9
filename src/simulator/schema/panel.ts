/**
 * Movements that no API call orders: those that are no PIX have no end-to-end id, and some PIX are sent in the panel.
 */
export const PANEL_SCHEMA = `
CREATE TABLE anyMovement (
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
INSERT INTO anyMovement
  SELECT sequence, accountId, direction, kind, id, endToEnd, originalEndToEnd, cents, at FROM movement;
DROP TABLE movement;
ALTER TABLE anyMovement RENAME TO movement;

ALTER TABLE sending ADD COLUMN isFromPanel INTEGER NOT NULL DEFAULT 0;
`
