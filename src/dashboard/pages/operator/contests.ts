import { z } from 'zod'
import { recordContest } from '../../../admin/contests.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { ContestError, type ContestRecord } from '../../../domain/disputes/contest.ts'
import { fail, failField } from '../../../http/api-error.ts'
import { reasonSchema } from '../../http/form.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { OPERATOR_PAGES } from './lists.ts'
import { OPERATOR_PATH, registerOperatorForm } from './operator-form.ts'

const contestFormSchema = z.object({
  dispute: uuidSchema,
  event: z.enum(['sent', 'accepted', 'rejected']),
  protocol: z.string().trim().max(100, 'must be at most 100 characters').optional(),
  movement: uuidSchema.optional(),
  reason: reasonSchema,
})

const MOVEMENT_MESSAGES = {
  no_credit:
    'must be a deposit, credit or correction in favour of the account at the provider of the dispute',
  too_much: 'must not be more than was returned',
  other_contest: 'must not be the credit of another contest',
}

/** Registers the form by which an operator records what became of a contest. */
export function registerContestForm(router: DashboardRouter): void {
  const { storage } = router.dashboard
  registerOperatorForm(router, 'contest', {
    page: `${OPERATOR_PATH}/disputes`,
    render: OPERATOR_PAGES.disputes,
    schema: contestFormSchema,
    async act({ dispute: disputeUuid, reason, ...fields }, { em, actor }) {
      const record = toContestRecord(fields)
      try {
        await recordContest(em, storage, { disputeUuid, record, by: { actor, reason } })
      } catch (error) {
        if (!(error instanceof ContestError)) throw error
        if (error.reason === 'not_contested') fail('not_found')
        if (error.reason === 'decided') fail('already_settled')
        failField('movement', MOVEMENT_MESSAGES[error.reason])
      }
      return 'contest_recorded'
    },
  })
}

function toContestRecord({
  event,
  protocol,
  movement,
}: Pick<z.output<typeof contestFormSchema>, 'event' | 'protocol' | 'movement'>): ContestRecord {
  switch (event) {
    case 'sent':
      return { event, protocol: protocol || failField('protocol', 'must not be empty') }
    case 'accepted':
      return { event, movementUuid: movement ?? failField('movement', 'must not be empty') }
    case 'rejected':
      return { event }
  }
}
