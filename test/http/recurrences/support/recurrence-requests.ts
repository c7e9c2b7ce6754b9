import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { pino } from 'pino'
import { databaseActivities, providerActivities } from '../../../../src/activities/index.ts'
import type { ActivityDependencies } from '../../../../src/activities/runtime/dependencies.ts'
import { chargeRoutes } from '../../../../src/api/charges/routes.ts'
import { recurrenceRoutes } from '../../../../src/api/recurrences/routes.ts'
import { addDays } from '../../../../src/domain/charges/business-days.ts'
import { computeBrasiliaDay } from '../../../../src/domain/shared/brasilia-day.ts'
import type { Provider } from '../../../../src/providers/port.ts'
import type { ChargeInput, ChargeRevisionOrder } from '../../../../src/workflows/contracts/charges.ts'
import type { RecurrenceInput } from '../../../../src/workflows/contracts/recurrences.ts'
import { openApiFixture } from '../../support/api-fixture.ts'

export const TODAY = computeBrasiliaDay(new Date())

export const BODY = {
  value: 49.9,
  frequency: 'MONTHLY',
  starts_on: addDays(TODAY, 5),
  contract: 'plan-77',
  subject: 'Plano mensal',
  debtor: { name: 'Ana Souza', document: '52998224725' },
  retry_policy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
}

/** The answer of a provider that has created a recurrence. */
export const accepted = (status: 'waiting' | 'active') => ({
  kind: 'accepted' as const,
  recurrence: { railId: `RR${randomUUID()}`, status, payload: 'payload' },
})

type StartedUpdate = {
  args: [ChargeRevisionOrder] | []
  startWorkflowOperation: { options: { workflowId: string; args: [object] } }
}

/** The API of recurrences over a database of its own and a provider that the test scripts. The workflows' activities run at once. */
export async function openRecurrenceRequests() {
  const script: Partial<Provider> = {}
  const client = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: { executeUpdateWithStart: carryOut },
  }
  const fixture = await openApiFixture(
    [chargeRoutes, recurrenceRoutes],
    {},
    async () => client as unknown as Client,
  )
  const dependencies = {
    ...fixture.dependencies,
    timeScale: 1,
    log: pino({ level: 'silent' }),
    providers: { providerFor: () => script as Provider, close: async () => {} },
  } as unknown as ActivityDependencies
  const activities = { ...providerActivities(dependencies), ...databaseActivities(dependencies) }

  /** Does what the workflow of an update would do first. */
  async function carryOut(update: { name: string }, { args, startWorkflowOperation }: StartedUpdate) {
    const {
      workflowId,
      args: [input],
    } = startWorkflowOperation.options
    const uuid = workflowId.split('/')[1]!
    switch (update.name) {
      case 'awaitResult':
        return createRecurrence(uuid, input as RecurrenceInput)
      case 'cancelRecurrence': {
        const result = await activities.cancelRecurrence(uuid)
        return result.kind === 'known' ? { kind: 'closed', state: result.state } : { kind: 'no_answer' }
      }
      case 'awaitIssued': {
        const order = input as ChargeInput
        return order.debit ? activities.issueDebit({ order }) : activities.issueCharge(order)
      }
      case 'cancelCharge':
        return activities.cancelCharge({ chargeUuid: uuid })
      case 'reviseCharge': {
        const order = (args as [ChargeRevisionOrder])[0]
        const result = await activities.reviseCharge({
          chargeUuid: uuid,
          revisionUuid: order.uuid,
          order,
          isPayloadExpired: false,
        })
        return result.kind === 'known' ? { kind: 'closed', state: result.state } : { kind: 'no_answer' }
      }
      default:
        throw new Error(`no update ${update.name}`)
    }
  }

  async function createRecurrence(uuid: string, order: RecurrenceInput): Promise<void> {
    const { firstCharge } = order
    await activities.openRecurrence(order)
    const { connectionUuid } = firstCharge
      ? await activities.issueFirstCharge({ uuid, order: firstCharge })
      : { connectionUuid: order.candidates[0]! }
    const isRefused =
      connectionUuid === null ||
      (await activities.createRecurrence({ uuid, connectionUuid })).kind === 'refused'
    if (!isRefused) return
    if (firstCharge) await activities.cancelFirstCharge(uuid)
    await activities.failRecurrence(uuid)
  }

  return {
    ...fixture,
    activities,
    /** The provider answers this from now on. */
    scriptProvider: (answers: Partial<Provider>) => Object.assign(script, answers),

    async createMerchant(dialect: 'efi' | 'sicoob' | 'woovi' = 'efi') {
      const accountUuid = await fixture.insertAccount()
      const connection = await fixture.insertConnection(accountUuid, { dialect })
      await fixture.replaceDefaultProviders(accountUuid, [connection])
      const token = await fixture.insertToken({ accountUuid })
      const call = (method: 'GET' | 'POST', path: string, body?: object, key?: string) =>
        fixture.call(method, `/api/v1${path}`, {
          token,
          ...(body && { body }),
          ...(key && { headers: { 'idempotency-key': key } }),
        })
      return { accountUuid, connection, token, call }
    },
  }
}
