import type { z } from 'zod'
import { isTransportCode } from '../../domain/providers/transport-code.ts'
import { ANY_ANSWER, type AnswerNotes, parseItems } from '../adapter/answer-parsing.ts'
import { encodePath } from '../http/client.ts'
import type { WooviClient } from './client.ts'
import { findRecoveryList, wooviInfractionReportSchema } from './dispute-schemas.ts'

/** Creates the look-ups of the lists under a funds recovery, by the end-to-end id of its PIX. */
export function createWooviRecoveryLists(client: WooviClient) {
  return { findDecision, readRecoveryList }

  /** Finds the decision about a PIX in its infraction report; `undecided` while there is none. */
  async function findDecision(endToEndId: string) {
    const outcome = await readRecoveryList(endToEndId, 'infraction-reports', wooviInfractionReportSchema)
    if (outcome.kind === 'no_answer') return outcome
    const { items: reports, isUnread } = outcome
    const report = reports.find(
      ({ transactionId, status }) => transactionId === endToEndId && status === 'CLOSED',
    )
    return { kind: DECISIONS[report?.analysisResult ?? 'UNDECIDED'], isUnread }
  }

  /**
   * Reads one list of a funds recovery; no answer only where none arrived. An absent or refused recovery has no
   * items. `pick` leaves out items that do not count. `isComplete`: every item that counts was readable and possible. `isUnread`: Woovi answered, but neither with the list nor with a refusal.
   */
  async function readRecoveryList<Item>(
    endToEndId: string,
    name: keyof typeof RECOVERY_LIST_FIELDS,
    itemSchema: z.ZodType<Item>,
    pick: PickItems<Item> = items => ({ items, isComplete: true }),
  ) {
    const path = encodePath`/api/v1/funds-recovery/${endToEndId}/${name}`
    const call = { call: 'findRecovery', reference: endToEndId, path } as const
    const outcome = await client.lookUp(call, ANY_ANSWER, (json, notes) => {
      const list = findRecoveryList(json, RECOVERY_LIST_FIELDS[name])
      if (!list) return undefined
      const readable = parseItems(itemSchema, list, notes)
      const { items, isComplete } = pick(readable, notes)
      return { items, isComplete: isComplete && readable.length === list.length, isUnread: false }
    })
    if (outcome.kind === 'found') return outcome
    if (outcome.kind === 'no_answer' && isTransportCode(outcome.code)) return outcome
    const isUnread = outcome.kind === 'no_answer' && !REFUSAL_CODES.includes(outcome.code)
    return { kind: 'found' as const, items: [], isComplete: true, isUnread }
  }
}

const DECISIONS = { AGREED: 'agreed', DISAGREED: 'disagreed', UNDECIDED: 'undecided' } as const

/** Codes of a refused look-up: the account has no funds recoveries, or this one is not its. */
const REFUSAL_CODES = ['provider_denied', ...[400, 401, 403, 404, 422].map(status => `http_${status}`)]

type PickItems<Item> = (items: Item[], notes: AnswerNotes) => { items: Item[]; isComplete: boolean }

/** Field of each list's envelope, by the last part of its path. */
const RECOVERY_LIST_FIELDS = {
  disputes: 'disputes',
  'refund-solicitations': 'refundSolicitations',
  'infraction-reports': 'infractionReports',
} as const
