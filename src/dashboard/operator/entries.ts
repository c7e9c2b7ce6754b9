import { z } from 'zod'
import {
  AdjustmentRefused,
  approveAdjustment,
  proposeAdjustment,
  type WhyNotAdjusted,
} from '../../activities/adjustments.ts'
import { refuse, refuseField } from '../../api/errors.ts'
import { openAccountEntries } from '../../db/account-entries.ts'
import { adjustableConnections, adjustments } from '../../db/adjustments.ts'
import { Connection } from '../../db/entities/connection.ts'
import { centsFromText } from '../../domain/money.ts'
import { uuid } from '../../wire/common.ts'
import type { Door, Visit } from '../door.ts'
import { amountText, NO_AMOUNT, required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { type Language, WORDS } from '../words.ts'
import { OPERATOR } from './pages.ts'

const PATH = `${OPERATOR}/entries`

const reason = z.string().trim().min(3, 'must say why').max(1_000)
const proposing = z.object({
  connection: uuid,
  direction: z.enum(['IN', 'OUT']),
  value: z.string().max(40),
  entry: uuid.optional(),
  reason,
})
const approving = z.object({ adjustment: uuid, reason })

/**
 * Entries of providers' statements that nothing accounts for, and corrections of the ledger: one operator proposes, another
 * approves, as by `trilho ledger` (docs/production.md). An operator acts as the user who is signed in.
 */
export function entryPages({ get, post, house }: Door): void {
  get('operator', PATH, showEntries)

  post('operator', `${PATH}/adjust`, {
    async act({ em, form, signedIn, language }) {
      const asked = required(proposing, Object.fromEntries(form))
      const connection = await em.fork().findOne(Connection, asked.connection)
      if (!connection) return refuseField('connection', 'is not known here')
      await proposeAdjustment(house.orm, {
        ...{ accountUuid: connection.accountUuid, connectionUuid: connection.uuid },
        ...{ direction: asked.direction, cents: centsOf(asked.value, language) },
        ...{ entryUuid: asked.entry ?? null, who: signedIn.user.email, reason: asked.reason },
      }).catch(refusedAdjustment(language))
      return elsewhere(PATH, 'adjustment_proposed')
    },
    again: showEntries,
  })

  post('operator', `${PATH}/approve`, {
    async act({ form, signedIn, language }) {
      const asked = required(approving, Object.fromEntries(form))
      const order = { uuid: asked.adjustment, who: signedIn.user.email, reason: asked.reason }
      await approveAdjustment(house.orm, order).catch(refusedAdjustment(language))
      return elsewhere(PATH, 'adjustment_booked')
    },
    again: showEntries,
  })
}

async function showEntries({ em, form, signedIn }: Pick<Visit, 'em' | 'form' | 'signedIn'>) {
  const [entries, proposals, connections] = await Promise.all([
    openAccountEntries(em.fork()),
    adjustments(em.fork(), { isOpen: true }),
    adjustableConnections(em.fork()),
  ])
  const told = { entries, proposals, connections, who: signedIn.user.email }
  return page('operator/entries', { ...told, typed: Object.fromEntries(form) }, PATH)
}

function centsOf(text: string, language: Language): number {
  const cents = centsFromText(amountText(text, language) ?? '')
  return cents === null || cents <= 0 ? refuseField('value', NO_AMOUNT) : cents
}

/** How the page says what the ledger refused. */
function refusedAdjustment(language: Language) {
  return (error: unknown): never => {
    if (!(error instanceof AdjustmentRefused)) throw error
    const { why } = error
    if (why === 'own_proposal') refuse('second_operator_needed')
    if (why === 'no_such_adjustment') refuse('not_found')
    if (isStale(why)) refuse('act_stale', { now: WORDS[language](`adjustment.${why}`) })
    if (why === 'other_entry') refuseField('value', 'must be the value of the entry')
    refuseField('connection', 'is not known here')
  }
}

function isStale(why: WhyNotAdjusted): boolean {
  return why === 'approved' || why === 'expired' || why === 'explained'
}
