import { Migration } from '@mikro-orm/migrations'
import { accounts } from './initial/accounts.ts'
import { apiRequests } from './initial/api-requests.ts'
import { approvals } from './initial/approvals.ts'
import { attempts } from './initial/attempts.ts'
import { chargeRevisions } from './initial/charge-revisions.ts'
import { charges } from './initial/charges.ts'
import { codeReadings } from './initial/code-readings.ts'
import { connections } from './initial/connections.ts'
import { depositAssignments } from './initial/deposit-assignments.ts'
import { depositReturns } from './initial/deposit-returns.ts'
import { disputes } from './initial/disputes.ts'
import { keyLookups } from './initial/key-lookups.ts'
import { ledger } from './initial/ledger.ts'
import { ledgerArchives } from './initial/ledger-archives.ts'
import { limits } from './initial/limits.ts'
import { listCounters } from './initial/list-counters.ts'
import { operators } from './initial/operators.ts'
import { paymentLinks } from './initial/payment-links.ts'
import { pixKeys } from './initial/pix-keys.ts'
import { providerNotifications } from './initial/provider-notifications.ts'
import { qrCodes } from './initial/qr-codes.ts'
import { reconciliation } from './initial/reconciliation.ts'
import { recurrences } from './initial/recurrences.ts'
import { refunds } from './initial/refunds.ts'
import { reports } from './initial/reports.ts'
import { searchEntries } from './initial/search-entries.ts'
import { transferBatches } from './initial/transfer-batches.ts'
import { transfers } from './initial/transfers.ts'
import { refusalFunctions } from './initial/trigger-functions.ts'
import { unexplainedAnswers } from './initial/unexplained-answers.ts'
import { webhooks } from './initial/webhooks.ts'

/** In this order: the tables of a part reference only tables of parts before it. */
const PARTS = [
  refusalFunctions,
  accounts,
  apiRequests,
  connections,
  ledger,
  qrCodes,
  recurrences,
  charges,
  chargeRevisions,
  codeReadings,
  transfers,
  transferBatches,
  refunds,
  limits,
  approvals,
  disputes,
  attempts,
  depositReturns,
  depositAssignments,
  pixKeys,
  keyLookups,
  providerNotifications,
  webhooks,
  operators,
  paymentLinks,
  reconciliation,
  ledgerArchives,
  reports,
  unexplainedAnswers,
  listCounters,
  searchEntries,
]

/**
 * The whole schema of the first release, a file per noun. Every rule about money is a constraint here, in addition to the
 * code that keeps it.
 */
export class Migration001_initial extends Migration {
  override up() {
    for (const { tables } of PARTS) if (tables) this.addSql(tables)
    for (const { rules } of PARTS) if (rules) this.addSql(rules)
  }
}
