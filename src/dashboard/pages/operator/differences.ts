import { z } from 'zod'
import {
  closeDifference,
  differenceSubjectOf,
  isClosedBy,
  isDifferencePending,
  reopenDifference,
  requireClosable,
  StaleDifference,
} from '../../../admin/difference-closing.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { Difference } from '../../../db/entities/reconciliation.ts'
import { DIFFERENCE_CAUSES, factsOfDifference } from '../../../domain/reconciliation/statement-comparison.ts'
import { fail } from '../../../http/api-error.ts'
import { reasonSchema } from '../../http/form.ts'
import { createPage } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts } from '../../http/shown-facts.ts'
import { listActsOnSubject, OPERATOR_PAGES } from './lists.ts'
import { OPERATOR_PATH, registerOperatorForm } from './operator-form.ts'

/** The page of one reconciliation difference, on which an operator closes it or opens it again. No money moves by it. */

const LIST = `${OPERATOR_PATH}/differences`

const differenceSchema = z.object({ uuid: uuidSchema })
const closeFormSchema = differenceSchema
  .extend({
    /** As the page showed them. */
    facts: z.string().max(100),
    as: z.enum(['resolved', 'accepted']),
    cause: z.enum(DIFFERENCE_CAUSES).optional(),
    reason: reasonSchema,
  })
  .refine(({ as, cause }) => as === 'accepted' || cause !== undefined, {
    path: ['cause'],
    message: 'is required when the difference is resolved',
  })
  .refine(({ as, cause }) => as === 'resolved' || cause === undefined, {
    path: ['cause'],
    message: 'is allowed only when the difference is resolved',
  })
const reopenFormSchema = differenceSchema.extend({ closed_at: z.iso.datetime(), reason: reasonSchema })

type Visit = Pick<PageContext, 'em' | 'language' | 't' | 'f'>

export function registerDifferencePages(router: DashboardRouter): void {
  registerOperatorForm(router, 'differences/close', {
    schema: closeFormSchema,
    page: LIST,
    render: renderFormPage,
    listFacts: listFormFacts,
    async confirm({ uuid, facts, reason, ...fields }, visit) {
      const difference = await requireDifference(visit, uuid)
      if (isClosedBy(difference, { closing: toClosing(fields), reason, actor: visit.actor })) return null
      await namingChange(visit, async () => requireClosable(difference, facts))
      const { t } = visit
      const gaps = { amount: describeAmount(visit, difference) }
      const isResolved = fields.as === 'resolved'
      return {
        title: t(isResolved ? 'difference.askResolved' : 'difference.askAccepted', gaps),
        button: t(isResolved ? 'difference.nowResolved' : 'difference.nowAccepted', gaps),
        facts: [
          { name: 'watch.difference', value: t(`difference.${difference.kind}`) },
          { name: 'field.provider', value: describeProviderAccount(visit, difference) },
          { name: 'field.end_to_end', value: difference.endToEnd },
          ...listFacts(visit, difference),
          { name: 'difference.as', value: t(`difference.${fields.as}`) },
          ...(fields.cause ? [{ name: 'difference.cause', value: t(`cause.${fields.cause}`) }] : []),
          { name: 'field.reason', value: reason },
        ],
        means: t('difference.closeMeans'),
        back: `${LIST}/${uuid}`,
      }
    },
    async act({ uuid, facts, reason, ...fields }, visit) {
      const { em, actor } = visit
      await namingChange(visit, () =>
        closeDifference(em, { uuid, facts, reason, actor, closing: toClosing(fields) }),
      )
      return 'difference_closed'
    },
  })

  registerOperatorForm(router, 'differences/reopen', {
    schema: reopenFormSchema,
    page: LIST,
    render: renderFormPage,
    listFacts: listFormFacts,
    async act({ uuid, closed_at, reason }, visit) {
      const { em, actor } = visit
      await requireDifference(visit, uuid)
      await namingChange(visit, () =>
        reopenDifference(em, { uuid, reason, actor, closedAt: new Date(closed_at) }),
      )
      return { path: `${LIST}/${uuid}`, outcome: 'difference_reopened' }
    },
  })

  // After the forms: `close` is no identifier.
  router.get('operator', `${LIST}/:uuid`, visit => renderDifference(visit, visit.params.uuid))
}

function toClosing({ as, cause }: Pick<z.output<typeof closeFormSchema>, 'as' | 'cause'>) {
  return as === 'resolved' ? { as, cause: cause! } : { as, cause: null }
}

async function requireDifference({ em }: Visit, uuid: string): Promise<Difference> {
  const difference = await em.fork().findOne(Difference, uuid, { populate: ['providerAccount'] })
  return difference ?? fail('not_found')
}

/** Fails with the present state, where the difference is not as the operator has seen it. */
async function namingChange(visit: Visit, work: () => Promise<void>): Promise<void> {
  await work().catch(error => {
    if (!(error instanceof StaleDifference)) throw error
    const { t } = visit
    const facts = listFacts(visit, error.current).map(({ name, value }) => `${t(name)}: ${value}`)
    fail('act_stale', { currentStateText: facts.join('; ') })
  })
}

async function listFormFacts(visit: PageContext<'operator'>) {
  const { data } = differenceSchema.safeParse(Object.fromEntries(visit.form))
  return data ? listFacts(visit, await requireDifference(visit, data.uuid)) : []
}

/** Lists what may change of a difference while an operator looks at it. */
function listFacts(visit: Visit, difference: Difference) {
  const { t, f } = visit
  const { entry, ours } = difference.detail
  return [
    { name: 'field.status', value: describeState(visit, difference) },
    { name: 'watch.providerBalance', value: entry ? f.money(entry.cents) : '–' },
    {
      name: 'watch.ledgerBalance',
      value: ours ? `${f.money(ours.cents)} (${t(`status.${ours.status}`)})` : '–',
    },
  ]
}

function describeState(visit: Visit, difference: Difference): string {
  const { t, f } = visit
  const { settledAt, closedAt, closedAs, closedCause, closedBy, closedReason } = difference
  if (closedAt) {
    const how = [t(`difference.${closedAs}`), closedCause && t(`cause.${closedCause}`)].filter(Boolean)
    const gaps = { how: how.join(': '), operator: closedBy!, time: f.plainTime(closedAt) }
    return `${t('difference.closedBy', gaps)}: ${closedReason}`
  }
  if (settledAt) return t('difference.gone', { time: f.plainTime(settledAt) })
  return t(isDifferencePending(difference) ? 'difference.pending' : 'difference.open')
}

/** Describes the amount in question: of two amounts how far they differ, else the amount of the side that has it. */
function describeAmount(visit: Visit, { kind, detail: { entry, ours } }: Difference): string {
  const cents =
    kind === 'value_differs' && entry && ours
      ? Math.abs(entry.cents - ours.cents)
      : (entry?.cents ?? ours?.cents)
  return cents === undefined ? '–' : visit.f.money(cents)
}

function describeProviderAccount(visit: Visit, { providerAccount: { provider, name } }: Difference): string {
  return `${visit.t(`provider.${provider}`)}, ${name}`
}

/** Renders the difference of the submitted form, or the list where the form names none. */
async function renderFormPage(visit: PageContext<'operator'>) {
  const { data } = differenceSchema.safeParse(Object.fromEntries(visit.form))
  const difference = data && (await visit.em.fork().findOne(Difference, data.uuid))
  return difference ? renderDifference(visit, difference.uuid) : OPERATOR_PAGES.differences(visit)
}

async function renderDifference(visit: Visit, uuid: string) {
  const difference = await requireDifference(visit, uuid)
  const { kind, direction, endToEnd, detail, foundAt, seenAt, settledAt, closedAt } = difference
  const shown = listFacts(visit, difference)
  const isOpen = !closedAt && !settledAt
  const model = {
    row: { uuid, kind, direction, endToEnd, detail, foundAt, seenAt, settledAt, closedAt },
    amount: describeAmount(visit, difference),
    provider: describeProviderAccount(visit, difference),
    shown,
    state: closedAt ? 'closed' : settledAt ? 'completed' : 'failed',
    isClosable: isOpen && !isDifferencePending(difference),
    isPending: isOpen && isDifferencePending(difference),
    facts: factsOfDifference(detail),
    version: encodeFacts(visit.language, shown),
    causes: DIFFERENCE_CAUSES,
    actions: await listActsOnSubject(visit.em, differenceSubjectOf(uuid)),
  }
  return createPage('operator/difference', model, `${LIST}/${uuid}`)
}
