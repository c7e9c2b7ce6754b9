import { ACCOUNT_SCHEMA } from './accounts.ts'
import { CHARGE_SCHEMA } from './charges.ts'
import { DISPUTE_SCHEMA } from './disputes.ts'
import { EFI_SCHEMA } from './efi.ts'
import { FAULT_SCHEMA } from './faults.ts'
import { INBOX_SCHEMA } from './inbox.ts'
import { SCHEDULE_SCHEMA } from './schedule.ts'
import { TRANSFER_SCHEMA } from './transfers.ts'
import { WOOVI_SCHEMA } from './woovi.ts'

/** The initial tables. Columns are named as the fields of the rows' types, so that a row needs no mapping. */
const INITIAL_SCHEMA = [
  ACCOUNT_SCHEMA,
  CHARGE_SCHEMA,
  TRANSFER_SCHEMA,
  DISPUTE_SCHEMA,
  SCHEDULE_SCHEMA,
  FAULT_SCHEMA,
  INBOX_SCHEMA,
  EFI_SCHEMA,
  WOOVI_SCHEMA,
].join('')

/** Steps that bring an older store up to date, in order. A released step never changes: add another one. */
export const SCHEMA_STEPS: readonly string[] = [INITIAL_SCHEMA]
