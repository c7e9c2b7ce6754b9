import { z } from 'zod'
import {
  AdjustmentError,
  approveAdjustment,
  proposeAdjustment,
} from '../../../activities/ledger/adjustments.ts'
import { fail, failField } from '../../../api/http/api-error.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { listOpenAccountEntries } from '../../../db/repositories/account-entries.ts'
import { listAdjustableConnections, listAdjustments } from '../../../db/repositories/ledger-adjustments.ts'
import { centsFromText } from '../../../domain/ledger/money.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, parseFormFields } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { DashboardRouter, PageContext } from '../../http/router.ts'
import { type Language, TRANSLATORS } from '../../i18n/translator.ts'
import { OPERATOR_PATH } from './lists.ts'

const PATH = `${OPERATOR_PATH}/entries`

const reasonSchema = z.string().trim().min(3, 'must give a reason').max(1_000)
const proposeFormSchema = z.object({
  connection: uuidSchema,
  direction: z.enum(['IN', 'OUT']),
  value: z.string().max(40),
  entry: uuidSchema.optional(),
  reason: reasonSchema,
})
const approveFormSchema = z.object({ adjustment: uuidSchema, reason: reasonSchema })

/**
 * Registers the pages for unexplained entries of provider statements and for ledger corrections: one operator
 * proposes, another approves, as by `trilho ledger` (docs/production.md). The acting operator is the signed-in user.
 */
export function registerAccountEntryPages({ get, post, dashboard }: DashboardRouter): void {
  get('operator', PATH, renderAccountEntries)

  post('operator', `${PATH}/adjust`, {
    async handle({ em, form, session: signedIn, language }) {
      const fields = parseFormFields(proposeFormSchema, Object.fromEntries(form))
      const connection = await em.fork().findOne(Connection, fields.connection)
      if (!connection) return failField('connection', 'must be an existing connection')
      await proposeAdjustment(dashboard.orm, {
        ...{ accountUuid: connection.accountUuid, connectionUuid: connection.uuid },
        ...{ direction: fields.direction, cents: parseAdjustmentCents(fields.value, language) },
        ...{ entryUuid: fields.entry ?? null, operatorEmail: signedIn.user.email, reason: fields.reason },
      }).catch(createAdjustmentErrorHandler(language))
      return redirect(PATH, 'adjustment_proposed')
    },
    renderForm: renderAccountEntries,
  })

  post('operator', `${PATH}/approve`, {
    async handle({ form, session: signedIn, language }) {
      const fields = parseFormFields(approveFormSchema, Object.fromEntries(form))
      const order = { uuid: fields.adjustment, operatorEmail: signedIn.user.email, reason: fields.reason }
      await approveAdjustment(dashboard.orm, order).catch(createAdjustmentErrorHandler(language))
      return redirect(PATH, 'adjustment_booked')
    },
    renderForm: renderAccountEntries,
  })
}

async function renderAccountEntries({
  em,
  form,
  session: signedIn,
}: Pick<PageContext, 'em' | 'form' | 'session'>) {
  const [entries, proposals, connections] = await Promise.all([
    listOpenAccountEntries(em.fork()),
    listAdjustments(em.fork(), { isOpen: true }),
    listAdjustableConnections(em.fork()),
  ])
  const model = { entries, proposals, connections, who: signedIn.user.email }
  return createPage('operator/entries', { ...model, typed: Object.fromEntries(form) }, PATH)
}

function parseAdjustmentCents(text: string, language: Language): number {
  const cents = centsFromText(normalizeAmount(text, language) ?? '')
  return cents === null || cents <= 0 ? failField('value', AMOUNT_FORMAT_MESSAGE) : cents
}

/** Creates the error handler that explains why the ledger rejected a correction. */
function createAdjustmentErrorHandler(language: Language) {
  return (error: unknown): never => {
    if (!(error instanceof AdjustmentError)) throw error
    const { reason: why } = error
    if (why === 'own_proposal') fail('second_operator_needed')
    if (why === 'no_such_adjustment') fail('not_found')
    if (why === 'approved' || why === 'expired' || why === 'explained')
      fail('act_stale', { currentStateText: TRANSLATORS[language](`adjustment.${why}`) })
    if (why === 'other_entry') failField('value', 'must be the value of the entry')
    failField('connection', 'must be an existing connection')
  }
}
