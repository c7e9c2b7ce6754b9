import { z } from 'zod'
import {
  type ManualSettlementRequest,
  payoutWorkflowIdOf,
  requestManualSettlement,
  requestPayoutPoll,
  requireSettleable,
  type SettleableAttempts,
} from '../../../admin/manual-settlement.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { OperatorAction } from '../../../db/entities/operator-action.ts'
import { listAttemptAnswers } from '../../../db/repositories/attempt-answers.ts'
import { findAttempts, loadAttemptProviders } from '../../../db/repositories/attempts.ts'
import {
  findPayoutFacts,
  listStatementCandidates,
  type PayoutFacts,
} from '../../../db/repositories/payout-facts.ts'
import { findComparisonTime } from '../../../db/repositories/provider-accounts.ts'
import { findCurrentAttempt, findSettleableAttempt } from '../../../db/repositories/settleable-attempts.ts'
import { referenceOf } from '../../../domain/pix/identifiers.ts'
import type { PayoutHandle } from '../../../domain/providers/provider.ts'
import { isTransportCode } from '../../../domain/providers/transport-code.ts'
import { DAY } from '../../../domain/shared/intervals.ts'
import { PAYOUT_NOUNS, type PayoutNoun } from '../../../domain/shared/nouns.ts'
import { fail } from '../../../http/api-error.ts'
import { getRequestDeadline } from '../../../http/request-deadline.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { reasonSchema } from '../../http/form.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { getShownAttemptState } from '../attempt-state.ts'
import { listActsOnSubject, OPERATOR_PAGES } from './lists.ts'
import { OPERATOR_PATH, type OperatorVisit, registerOperatorForm } from './operator-form.ts'

/** The page of a payout whose outcome is unknown: all facts, asking the provider now, and the settlement. */

const LIST = `${OPERATOR_PATH}/unknown`
/** How long a request waits for the provider's answer to "ask now". */
const ANSWER_WAIT_MS = 3_000

/** What an operator relies on when an outcome is settled manually. */
const EVIDENCE_KINDS = ['statement', 'panel', 'written'] as const

const payoutSchema = z.object({ noun: z.enum(PAYOUT_NOUNS), uuid: uuidSchema })
type Payout = z.output<typeof payoutSchema>

const settleFormSchema = payoutSchema
  .extend({
    attempt: uuidSchema,
    /** Number of sends that the page showed, to detect a change since. */
    sending: z.coerce.number().int().min(0).max(1_000_000),
    as: z.enum(['settled', 'rejected']),
    end_to_end: z.string().trim().min(1).max(255).optional(),
    evidence: z.enum(EVIDENCE_KINDS),
    evidence_reference: z.string().trim().max(200).optional(),
    reason: reasonSchema,
    merchant_text: z.string().trim().min(3).max(300).optional(),
  })
  .refine(({ as, end_to_end }) => as === 'rejected' || end_to_end !== undefined, {
    path: ['end_to_end'],
    message: 'is required when the outcome is settled',
  })
  .refine(({ as, end_to_end }) => as === 'settled' || end_to_end === undefined, {
    path: ['end_to_end'],
    message: 'is allowed only when the outcome is settled',
  })
  .refine(({ as, merchant_text }) => as === 'rejected' || merchant_text === undefined, {
    path: ['merchant_text'],
    message: 'is allowed only when the outcome is rejected',
  })
type SettleFields = z.output<typeof settleFormSchema>

export function registerManualSettlementPages(router: DashboardRouter): void {
  const { temporal } = router.dashboard
  const form = {
    page: LIST,
    render: (visit: PageContext<'operator'>) => renderFormPage(router.dashboard, visit),
  }

  for (const noun of PAYOUT_NOUNS)
    router.get('operator', `${LIST}/${noun}/:uuid`, visit =>
      renderPayout(router.dashboard, visit, { noun, uuid: visit.params.uuid }),
    )

  registerOperatorForm(router, 'ask', {
    ...form,
    schema: payoutSchema,
    async act(payout, { em, actor }) {
      const waitMs = getRequestDeadline().stepTimeoutMs(ANSWER_WAIT_MS)
      const hasAnswered = await requestPayoutPoll(temporal, em, { ...payout, actor, waitMs })
      return { path: pathOf(payout), outcome: hasAnswered ? 'answered' : 'asked' }
    },
  })

  registerOperatorForm(router, 'settle', {
    ...form,
    schema: settleFormSchema,
    confirm: (fields, visit) => confirmSettlement(router.dashboard, fields, visit),
    async act(fields, { em, actor }) {
      const { noun, uuid } = fields
      const settlement = toSettlement(fields)
      if (!(await isRequested(em, { noun, uuid }, { actor, settlement })))
        await requestManualSettlement(temporal, em, { noun, uuid, settlement, actor })
      return { path: pathOf(fields), outcome: 'settled' }
    },
  })
}

function pathOf({ noun, uuid }: Payout): string {
  return `${LIST}/${noun}/${uuid}`
}

function toSettlement(fields: SettleFields): ManualSettlementRequest['settlement'] {
  const { attempt, sending, as, end_to_end, evidence, evidence_reference, merchant_text } = fields
  const source = [evidence, evidence_reference].filter(Boolean).join(' ')
  const expected = { attempt, sending, reason: `${fields.reason} (evidence: ${source})` }
  if (as === 'settled') return { ...expected, as, endToEnd: end_to_end! }
  return { ...expected, as, ...(merchant_text !== undefined && { merchantText: merchant_text }) }
}

/** Finds the latest settlement of a payout that an operator has requested for its attempt as it is now. */
async function findRequest(em: EntityManager, { noun, uuid }: Payout, since: Date) {
  const subject = payoutWorkflowIdOf(noun, uuid)
  const actions = { $in: ['settle_settled', 'settle_rejected'] }
  const order = { orderBy: { at: 'desc' as const }, limit: 1 }
  const [latest] = await em
    .fork()
    .find(OperatorAction, { subject, action: actions, at: { $gte: since } }, order)
  return latest
}

/** Returns whether the same operator has just requested the same settlement: its form was sent twice. */
async function isRequested(
  em: EntityManager,
  payout: Payout,
  { actor, settlement }: { actor: string; settlement: ManualSettlementRequest['settlement'] },
): Promise<boolean> {
  const latest = await findRequest(em, payout, new Date(Date.now() - 10 * 60_000))
  return (
    latest?.actor === actor &&
    latest.action === `settle_${settlement.as}` &&
    latest.reason === settlement.reason
  )
}

async function confirmSettlement(
  { temporal }: DashboardContext,
  fields: SettleFields,
  visit: OperatorVisit,
): Promise<Confirmation | null> {
  const { em, actor, form, t, f } = visit
  const { noun, uuid, as, attempt, sending } = fields
  if (form.has('confirmed') && (await isRequested(em, fields, { actor, settlement: toSettlement(fields) })))
    return null
  const expected = { attempt, sending }
  const { attempts, current } = await requireSettleable(temporal, em.fork(), { noun, uuid, expected })
  const facts = await findPayoutFacts(em.fork(), fields)
  if (!facts) return fail('not_found')
  const amount = f.money(facts.cents)
  const receiver = describeReceiver(visit, facts)
  const { provider } = await em.fork().findOneOrFail(Connection, current.connectionUuid)
  const earlier = await findRequest(em, fields, current.unknownSince ?? current.createdAt)
  const isRejected = as === 'rejected'
  const gaps = { amount, receiver }
  return {
    title: t(isRejected ? 'settle.askRejected' : 'settle.askSettled', gaps),
    button: t(isRejected ? 'settle.nowRejected' : 'settle.nowSettled', gaps),
    facts: [
      { name: 'watch.operation', value: t(`noun.${noun}`) },
      { name: 'field.value', value: amount },
      { name: 'field.receiver', value: receiver },
      { name: 'field.account', value: facts.account_name },
      {
        name: 'settle.attempt',
        value: `${t(`provider.${provider}`)}, ${t('watch.attempt', { number: current.position + 1, sending })}`,
      },
      { name: 'settle.attempts', value: f.number(attempts.length) },
      { name: 'watch.as', value: t(isRejected ? 'watch.asRejected' : 'watch.asSettled') },
      ...(isRejected ? [] : [{ name: 'field.end_to_end', value: fields.end_to_end! }]),
      {
        name: 'settle.evidence',
        value: [t(`settle.evidence.${fields.evidence}`), fields.evidence_reference]
          .filter(Boolean)
          .join(': '),
      },
      { name: 'settle.internalReason', value: fields.reason },
      ...(isRejected
        ? [{ name: 'settle.merchantText', value: fields.merchant_text ?? t('settle.noMerchantText') }]
        : []),
      {
        name: 'settle.earlier',
        value: earlier ? `${earlier.actor}, ${f.plainTime(earlier.at)}: ${earlier.reason}` : '–',
      },
    ],
    means: t(isRejected ? 'settle.followsRejected' : 'settle.followsSettled', gaps),
    isDangerous: true,
    back: pathOf(fields),
  }
}

function describeReceiver(visit: Pick<PageContext, 't' | 'f'>, facts: PayoutFacts): string {
  const { t, f } = visit
  const { pix_key, bank_account, receiver_name, receiver_document } = facts
  const parts = [pix_key, bank_account, receiver_name, receiver_document && f.document(receiver_document)]
  return parts.filter(Boolean).join(', ') || t('refund.unnamedPayer')
}

/** Renders the payout of the submitted form, or the list where the form names none. */
async function renderFormPage(context: DashboardContext, visit: PageContext<'operator'>) {
  const payout = payoutSchema.safeParse(Object.fromEntries(visit.form)).data
  const isKnown = payout && (await findPayoutFacts(visit.em.fork(), payout))
  return isKnown ? renderPayout(context, visit, payout) : OPERATOR_PAGES.unknown(visit)
}

async function renderPayout(
  { temporal, sealer }: DashboardContext,
  visit: PageContext<'operator'>,
  { noun, uuid }: { noun: PayoutNoun; uuid: string },
) {
  const em = visit.em.fork()
  const facts = await findPayoutFacts(em, { noun, uuid })
  if (!facts) return fail('not_found')
  const attempts = await findAttempts(em, { operation: noun, subjectUuid: uuid })
  const [providers, answers, actions, statement] = await Promise.all([
    loadAttemptProviders(em.fork(), attempts),
    listAttemptAnswers(
      em.fork(),
      attempts.map(one => one.uuid),
    ),
    listActsOnSubject(em, payoutWorkflowIdOf(noun, uuid)),
    readStatement(em.fork(), facts, attempts),
  ])
  const current = findCurrentAttempt(attempts)
  const version = current && { attempt: current.uuid, sending: current.sendings }
  const isSettleable = version !== undefined && !!findSettleableAttempt(attempts, version, temporal.timeScale)
  const model = {
    noun,
    facts,
    receiver: describeReceiver(visit, facts),
    ...statement,
    state: current?.state ?? 'calling',
    version: isSettleable ? version : null,
    isLive: current !== undefined && ['calling', 'accepted', 'unknown'].includes(current.state),
    unknownSince: current?.unknownSince ?? null,
    nextCheckAt: current?.nextCheckAt ?? null,
    attempts: providers.map(({ attempt, provider }) => ({
      ...presentAttempt(attempt, provider, answers),
      providerReference: attempt.sealedHandle ? sealer.open<PayoutHandle>(attempt.sealedHandle).ref : null,
    })),
    actions,
    evidenceKinds: EVIDENCE_KINDS,
  }
  return createPage('operator/payout', model, pathOf({ noun, uuid }))
}

type ListedAttempts = SettleableAttempts['attempts']

function presentAttempt(
  attempt: ListedAttempts[number],
  provider: string,
  answers: Awaited<ReturnType<typeof listAttemptAnswers>>,
) {
  const {
    uuid,
    position,
    sendings,
    state,
    code,
    message,
    refusedBy,
    providerMessage,
    subjectUuid,
    endToEnd,
    preparedAt,
    createdAt,
    updatedAt,
  } = attempt
  const reference = referenceOf(subjectUuid)
  return {
    uuid,
    provider,
    number: position + 1,
    sendings,
    shownState: getShownAttemptState({ state, code: code ?? null, preparedAt: preparedAt ?? null }),
    code,
    message,
    refusedBy,
    providerMessage,
    reference,
    endToEnd,
    preparedAt,
    createdAt,
    updatedAt,
    // A call without an answer has no words but ours, which are stored in English.
    answers: answers
      .filter(answer => answer.attempt === uuid)
      .map(answer => ({ ...answer, isCause: isTransportCode(answer.code) })),
  }
}

/** Reads what the statements of the attempts' provider accounts list and no movement accounts for. */
async function readStatement(em: EntityManager, facts: PayoutFacts, attempts: ListedAttempts) {
  const last = attempts.at(-1)
  if (!last) return { candidates: [], comparedAt: null }
  const [candidates, comparedAt] = await Promise.all([
    listStatementCandidates(em.fork(), {
      providerAccountUuids: [...new Set(attempts.map(one => one.providerAccountUuid))],
      cents: facts.cents,
      references: attempts.flatMap(one => [
        referenceOf(one.subjectUuid),
        ...(one.endToEnd ? [one.endToEnd] : []),
      ]),
      since: new Date(Date.parse(facts.created_at) - DAY).toISOString(),
    }),
    findComparisonTime(em.fork(), last.providerAccountUuid),
  ])
  return { candidates, comparedAt }
}
