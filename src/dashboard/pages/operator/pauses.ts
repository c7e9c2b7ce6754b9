import { z } from 'zod'
import { closeCircuit, endPause, startPause } from '../../../admin/pauses.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { Account } from '../../../db/entities/account.ts'
import { Connection } from '../../../db/entities/connection.ts'
import type { Pause } from '../../../db/entities/pause.ts'
import { findOpenCircuits } from '../../../db/repositories/circuit-breaker.ts'
import {
  findPause,
  PAUSE_TARGETS,
  type PauseTarget,
  type PauseTargetKind,
} from '../../../db/repositories/pauses.ts'
import { PROVIDER_NAMES, type ProviderName } from '../../../domain/providers/provider.ts'
import { fail } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, reasonSchema } from '../../http/form.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { OPERATOR_PAGES } from './lists.ts'
import { OPERATOR_PATH, type OperatorVisit, registerOperatorForm } from './operator-form.ts'

/** Pauses and circuit breakers: what operators let through to providers. */

const PAGE = `${OPERATOR_PATH}/providers`

const pauseReachSchema = z.enum(['money_out', 'everything'])
const pauseTargetFields = {
  target: z.enum(PAUSE_TARGETS),
  uuid: uuidSchema.optional(),
  provider: z.enum(PROVIDER_NAMES).optional(),
  reason: reasonSchema,
}
const pauseFormSchema = z.object({ ...pauseTargetFields, reach: pauseReachSchema })
const resumeFormSchema = z.object({
  ...pauseTargetFields,
  pause: uuidSchema.optional(),
  seen_reach: pauseReachSchema.optional(),
})
const breakerFormSchema = z.object({ uuid: uuidSchema, reason: reasonSchema })

/** Registers the forms that start and end a pause, and that close an open circuit breaker. */
export function registerPauseForms(router: DashboardRouter): void {
  const form = { page: PAGE, render: OPERATOR_PAGES.providers }

  registerOperatorForm(router, 'pause', {
    ...form,
    schema: pauseFormSchema,
    async confirm({ reach, reason, ...fields }, visit) {
      const { target, name } = await findPauseTarget(visit, fields)
      const { t } = visit
      return {
        title: t('pause.ask', { name }),
        button: t('pause.now', { name }),
        facts: [
          { name: 'pause.whom', value: name },
          { name: 'pause.reach', value: t(`pause.reach.${reach}`) },
          { name: 'pause.current', value: describePause(visit, await findPause(visit.em, target)) },
          { name: 'field.reason', value: reason },
        ],
        means: t(`pause.means.${reach}`),
        isDangerous: true,
        back: PAGE,
      }
    },
    async act({ reach, reason, ...fields }, visit) {
      const { target } = await findPauseTarget(visit, fields)
      await startPause(visit.em, { target, reach, actor: visit.actor, reason })
      return 'paused'
    },
  })

  registerOperatorForm(router, 'resume', {
    ...form,
    schema: resumeFormSchema,
    async confirm({ reason, pause: uuid, seen_reach: reach, ...fields }, visit) {
      const { target, name } = await findPauseTarget(visit, fields)
      const pause = await findPause(visit.em, target)
      if (!pause) return visit.form.has('confirmed') ? null : failStale(visit, 'pause.none')
      if (uuid && reach && (pause.uuid !== uuid || pause.reach !== reach))
        return failStale(visit, `pause.${pause.reach}`)
      return createResumeConfirmation(visit, { name, pause, reason })
    },
    async act({ pause: uuid, seen_reach: reach, reason, ...fields }, visit) {
      const { em, actor } = visit
      const { target } = await findPauseTarget(visit, fields)
      const expected = uuid && reach && { expected: { uuid, reach } }
      if (await endPause(em, { target, actor, reason, ...expected })) return 'resumed'
      const current = await findPause(em, target)
      // Without a pause the same form was sent before, or another operator's.
      return current ? failStale(visit, `pause.${current.reach}`) : 'resumed'
    },
  })

  registerOperatorForm(router, 'breaker', {
    ...form,
    schema: breakerFormSchema,
    async confirm({ uuid, reason }, visit) {
      const { name } = await findPauseTarget(visit, { target: 'connection', uuid })
      if (!(await findOpenCircuits(visit.em.fork(), [uuid])).has(uuid))
        return failStale(visit, 'breaker.isClosed')
      const { t } = visit
      return {
        title: t('breaker.ask', { name }),
        button: t('breaker.close'),
        facts: [
          { name: 'field.provider', value: name },
          { name: 'field.provider_uuid', value: uuid },
          { name: 'field.reason', value: reason },
        ],
        means: t('breaker.means'),
        back: PAGE,
      }
    },
    async act({ uuid: connectionUuid, reason }, visit) {
      const { em, actor } = visit
      if (!(await closeCircuit(em, { connectionUuid, actor, reason })))
        return failStale(visit, 'breaker.isClosed')
      return 'breaker_closed'
    },
  })
}

function failStale({ t }: OperatorVisit, phrase: string): never {
  return fail('act_stale', { currentStateText: t(phrase) })
}

function createResumeConfirmation(
  visit: OperatorVisit,
  { name, pause, reason }: { name: string; pause: Pause; reason: string },
): Confirmation {
  const { t } = visit
  return {
    title: t('pause.resumeAsk', { name }),
    button: t('pause.resumeNow', { name }),
    facts: [
      { name: 'pause.whom', value: name },
      { name: 'pause.current', value: describePause(visit, pause) },
      { name: 'field.reason', value: reason },
    ],
    means: t('pause.resumeMeans'),
    back: PAGE,
  }
}

function describePause(visit: OperatorVisit, pause: Pause | null): string {
  const { t, f } = visit
  if (!pause) return t('pause.none')
  const { reach, actor, reason, createdAt } = pause
  return `${t(`pause.${reach}`)}, ${actor}, ${f.plainTime(createdAt)}: ${reason}`
}

/** Finds the target of a pause with its name for the operator; 404 where it does not exist. */
async function findPauseTarget(
  { em, t }: OperatorVisit,
  fields: { target: PauseTargetKind; uuid?: string | undefined; provider?: ProviderName | undefined },
): Promise<{ target: PauseTarget; name: string }> {
  const { target } = fields
  if (target === 'all') return { target, name: 'Trilho' }
  if (target === 'provider') {
    const { provider } = parseFormFields(z.object({ provider: z.enum(PROVIDER_NAMES) }), fields)
    return { target: { provider }, name: t(`provider.${provider}`) }
  }
  const { uuid } = parseFormFields(z.object({ uuid: uuidSchema }), { uuid: fields.uuid ?? '' })
  const fork = em.fork()
  if (target === 'account') {
    const account = await fork.findOne(Account, uuid)
    return account ? { target: { accountUuid: uuid }, name: account.name } : fail('not_found')
  }
  const connection = await fork.findOne(Connection, uuid)
  if (!connection) return fail('not_found')
  const { name } = await fork.findOneOrFail(Account, connection.accountUuid)
  return {
    target: { connectionUuid: uuid },
    name: `${name}, ${t(`provider.${connection.provider}`)}`,
  }
}
