import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import {
  type ErasedCounts,
  erasePersonRows,
  findPersonRows,
  listAttachmentKeys,
  listRunningOfPerson,
  type Person,
  type PersonRecord,
  type PersonRows,
  readPersonRecords,
} from '../db/repositories/personal-data.ts'
import {
  eraseUserRows,
  findUserToErase,
  listRunningOfUser,
  readUserRecords,
} from '../db/repositories/user-data.ts'
import { buildPseudonym } from '../domain/privacy/erasure.ts'
import type { Sealer } from '../security/sealing.ts'
import type { FileStorage } from '../storage/storage.ts'

/** What a person may ask of their data by the LGPD (Lei 13.709/2018, art. 18): a copy, and its erasure (docs/retention.md). */

/** The data is not erased; the message has the reason for the operator, and nothing was done. */
class ErasureError extends Error {
  override name = 'ErasureError'
}

/** `pseudonym`: in the place of the document, and in the record of the act, which has no personal data of the person. */
export type Erasure = { pseudonym: string; erased: ErasedCounts; kept: readonly string[] }

/** What an erasure of a payer or receiver leaves, and why. */
const KEPT_OF_PERSON = [
  'operations whose money moved at the given moment or later: the record of money with its payer or receiver, for the legal term',
  'amounts, states, times, end-to-end ids and txids of all others: the record of money',
  'metadata, external_ref and notes of links: texts of the merchant, who may not put personal data there',
  'trusted receivers of limits: a setting of the account, by PUT /limits',
  'looked-up keys and codes that were read, masked and sealed: 30 days',
  'files of reports, sealed: 30 days',
  'additional_info in events: 30 days',
  'sealed inputs in Temporal: the retention of its namespace after a workflow has ended',
  'notifications of providers that no workflow has accepted or about an open difference, and items that no list has explained: until then',
  'backups of PostgreSQL: as long as you keep them; erase again after a restore',
] as const

/** What an erasure of a user leaves, and why. */
const KEPT_OF_USER = [
  'the user without e-mail, name and password: rows name it as who ordered them',
  'operator actions, approvals, pauses, closings and confirmations, with the e-mail: evidence of who did what',
  'failed sign-ins, by hashes: a day',
  'backups of PostgreSQL: as long as you keep them; erase again after a restore',
] as const

type PersonOrder = ActionAuthor & Person
/** `before`: whose money moved since then stays whole, as the law wants it; only the operator knows which law that is. */
type ErasureOrder = PersonOrder & { before: Date }

const pseudonymOf = (sealer: Pick<Sealer, 'mac'>, document: string) =>
  buildPseudonym(sealer.mac(`person ${document}`), document)

/** Reads all that is stored about a payer or receiver in the open, and the accounts of payers that requests for consent go to. */
export function exportPerson(
  em: EntityManager,
  sealer: Pick<Sealer, 'mac' | 'open'>,
  order: PersonOrder,
): Promise<PersonRecord[]> {
  return runAuditedAction(em, {
    by: order,
    action: 'export_person',
    subject: `person/${pseudonymOf(sealer, order.document)}`,
    async work(tx) {
      const records = await readPersonRecords(tx, await findPersonRows(tx, order))
      return records.map(({ table, row: { sealed_payer_account: sealed, ...row } }) => ({
        table,
        row: typeof sealed === 'string' ? { ...row, payer_account: sealer.open(sealed) } : row,
      }))
    },
  })
}

/**
 * Erases a payer or receiver from all rows except those of money since `before`, in one transaction; before it, the attachments of the person's disputes from the storage, so
 * that a repeat finds those that are left. May be repeated. Throws ErasureError where an operation or a delivery still runs, by its name.
 */
export async function erasePerson(
  em: EntityManager,
  { sealer, storage }: { sealer: Sealer; storage: FileStorage },
  order: ErasureOrder,
): Promise<Erasure> {
  const { document } = order
  const pseudonym = pseudonymOf(sealer, document)
  for (const key of await listAttachmentKeys(em, await findEndedRows(em, order)))
    await storage.removeFile(key)
  const erased = await runAuditedAction(em, {
    by: order,
    action: 'erase_person',
    subject: `person/${pseudonym}`,
    async work(tx) {
      const rows = await findEndedRows(tx, order)
      return erasePersonRows(tx, { rows, document, pseudonym, sealedNothing: sealer.seal(null) })
    },
  })
  return { pseudonym, erased, kept: KEPT_OF_PERSON }
}

/** Finds the rows about a person; in a transaction it holds their locks. Throws ErasureError where something still runs. */
async function findEndedRows(em: EntityManager, person: Person): Promise<PersonRows> {
  const rows = await findPersonRows(em, person)
  refuseRunning(await listRunningOfPerson(em, rows))
  return rows
}

type UserOrder = ActionAuthor & { email: string }

/** Reads all that is stored about a user of the dashboard: the user, sessions, invitations, tokens, and the acts. */
export function exportUser(em: EntityManager, order: UserOrder): Promise<PersonRecord[]> {
  return runAuditedAction(em, {
    by: order,
    action: 'export_user',
    subject: ([user]) => `user/${user?.row.uuid}`,
    hasChanged: records => records.length > 0,
    work: tx => readUserRecords(tx, order.email),
  })
}

/**
 * Erases a user who was removed, or an operator who is disabled, with sessions, second factor and invitations. Throws ErasureError
 * where there is none, where the user can still sign in, or where an order of the user waits for approvals.
 */
export async function eraseUser(
  em: EntityManager,
  order: UserOrder,
): Promise<Omit<Erasure, 'pseudonym'> & { user_uuid: string }> {
  const { uuid, counts } = await runAuditedAction(em, {
    by: order,
    action: 'erase_user',
    async work(tx) {
      const user = await findUserToErase(tx, order.email)
      if (!user) throw new ErasureError(`there is no user ${order.email}`)
      if (!user.isEnded)
        throw new ErasureError(`${order.email} can still sign in: remove or disable the user first`)
      refuseRunning(await listRunningOfUser(tx, order.email))
      return { uuid: user.uuid, counts: await eraseUserRows(tx, { uuid: user.uuid, email: order.email }) }
    },
    subject: result => `user/${result.uuid}`,
  })
  return { user_uuid: uuid, erased: counts, kept: KEPT_OF_USER }
}

/** Most names in a refusal. */
const MAX_NAMED = 20

function refuseRunning(running: string[]): void {
  if (running.length === 0) return
  const more = running.length > MAX_NAMED ? `, and ${running.length - MAX_NAMED} more` : ''
  throw new ErasureError(
    `still running: ${running.slice(0, MAX_NAMED).join(', ')}${more}. Nothing was done; erase when they have ended`,
  )
}
