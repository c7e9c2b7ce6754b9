import type { z } from 'zod'
import { AdjustmentError } from '../../../admin/ledger-adjustments.ts'
import { NotSettleableError, StaleSettlement } from '../../../admin/manual-settlement.ts'
import { NotReturnableError, StaleReturn } from '../../../admin/unmatched.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields } from '../../http/form.ts'
import { type DashboardResponse, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import type { ShownFact } from '../../http/shown-facts.ts'

export const OPERATOR_PATH = '/dashboard/operator'
export const ACCOUNTS_PATH = `${OPERATOR_PATH}/accounts`

/** Visit of an operator; `actor` is the operator's e-mail, which is recorded. */
export type OperatorVisit = PageContext<'operator'> & { actor: string }

export type OperatorForm<S extends z.ZodType> = {
  schema: S
  /** Path of the page that has the form, to which the operator returns. */
  page: string
  /** Renders that page, above which a refusal is shown. */
  render(visit: PageContext<'operator'>): Promise<DashboardResponse>
  /** Lists what the page of the form shows of the object, so that a change since is named (its field `version`). */
  listFacts?(visit: PageContext<'operator'>): Promise<ShownFact[]>
  /** Names what the form is about to do, for what moves money, cannot be undone or affects traffic; null: it is done. */
  confirm?(fields: z.output<S>, visit: OperatorVisit): Promise<Confirmation | null>
  /** Carries the form out and returns the name of its outcome, with the path of the page that shows it if not `page`. */
  act(fields: z.output<S>, visit: OperatorVisit): Promise<string | { path: string; outcome: string }>
}

/** Registers a form of operators below their path: its fields are validated before both steps. */
export function registerOperatorForm<S extends z.ZodType>(
  { post }: DashboardRouter,
  path: string,
  { schema, page, render, listFacts, confirm, act }: OperatorForm<S>,
): void {
  const run = async <T>(
    visit: PageContext<'operator'>,
    step: (fields: z.output<S>, visit: OperatorVisit) => Promise<T>,
  ) => {
    const fields = parseFormFields(schema, visit.form)
    const work = step(fields, { ...visit, actor: visit.session.user.email })
    return work.catch(error => failByCause(error, visit))
  }
  post('operator', `${OPERATOR_PATH}/${path}`, {
    ...(listFacts && { listFacts }),
    ...(confirm && { confirm: visit => run(visit, confirm) }),
    async handle(visit) {
      const result = await run(visit, act)
      return typeof result === 'string' ? redirect(page, result) : redirect(result.path, result.outcome)
    },
    renderForm: render,
  })
}

/** Fails with the reason for the operator, mostly a resource that has changed since the page showed it. */
function failByCause(error: unknown, visit: PageContext): never {
  const { t } = visit
  if (error instanceof NotSettleableError || error instanceof NotReturnableError) fail('already_settled')
  if (error instanceof StaleSettlement) {
    const { provider, state, ...now } = error.current
    const gaps = { ...now, provider: t(`provider.${provider}`), state: t(`outcome.${state}`) }
    fail('act_stale', { currentStateText: t('watch.attemptNow', gaps) })
  }
  if (error instanceof StaleReturn) fail('act_stale', { currentStateText: describeReturn(error, visit) })
  if (error instanceof AdjustmentError) failAdjustment(error, visit)
  throw error
}

/** Describes an unmatched PIX as it is now; an amount is left only while it is neither returned nor kept. */
function describeReturn({ current: { disposition, cents } }: StaleReturn, { t, f }: PageContext): string {
  const state = t(`disposition.${disposition}`)
  const isWaiting = disposition === 'held' || disposition === 'not_returned'
  return isWaiting ? t('watch.unmatchedNow', { state, amount: f.money(cents) }) : state
}

function failAdjustment({ reason }: AdjustmentError, { t }: PageContext): never {
  switch (reason) {
    case 'own_proposal':
      return fail('second_operator_needed')
    case 'no_such_adjustment':
      return fail('not_found')
    case 'approved':
    case 'expired':
    case 'explained':
    case 'may_be_payout':
    case 'unnamed_entry':
    case 'pix_waiting':
      return fail('act_stale', { currentStateText: t(`adjustment.${reason}`) })
    case 'other_entry':
      return failField('value', 'must be the value of the entry')
    default:
      return failField('connection', 'must be an existing connection')
  }
}
