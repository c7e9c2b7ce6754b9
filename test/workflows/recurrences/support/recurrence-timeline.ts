import { randomUUID } from 'node:crypto'
import { jest } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { createSimulatedCredentials } from '../../../../packages/dev/demo/demo-logins.ts'
import type { FaultBody } from '../../../../packages/simulator/control/schemas.ts'
import { databaseActivities, providerActivities } from '../../../../src/activities/index.ts'
import type { ActivityDependencies } from '../../../../src/activities/runtime/dependencies.ts'
import { createAccount } from '../../../../src/admin/accounts.ts'
import { createConnection } from '../../../../src/admin/connections.ts'
import { checkProviderBalances } from '../../../../src/admin/ledger-check.ts'
import { checkLedger, type LedgerViolation } from '../../../../src/db/repositories/ledger-rules.ts'
import { addDays } from '../../../../src/domain/charges/business-days.ts'
import { type ChargeState, chargeMachine } from '../../../../src/domain/charges/charge.ts'
import type { ProviderApi } from '../../../../src/domain/providers/provider.ts'
import type { ChargeTry } from '../../../../src/domain/recurrences/charge-try.ts'
import type { RecurrenceState, RecurrenceTerms } from '../../../../src/domain/recurrences/recurrence.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../../../../src/domain/shared/brasilia-day.ts'
import { HOUR } from '../../../../src/domain/shared/intervals.ts'
import { createProviderRegistry } from '../../../../src/providers/registry.ts'
import { signalOperation, signalRecurrence } from '../../../../src/temporal/signals.ts'
import type { TemporalContext } from '../../../../src/temporal/workflow-options.ts'
import { reviseChargeUpdate } from '../../../../src/workflows/contracts/charges.ts'
import { awaitResultUpdate } from '../../../../src/workflows/contracts/orders.ts'
import type {
  RecurrenceInput,
  RecurrenceInputDetails,
} from '../../../../src/workflows/contracts/recurrences.ts'
import { WORKFLOWS } from '../../../../src/workflows/contracts/workflows.ts'
import { openActivityFixture } from '../../../chaos/support/activity-fixture.ts'
import { openSimulatorFixture, SHOP } from '../../../simulator/support/simulator-fixture.ts'
import { fakeDate } from '../../../support/fake-date.ts'
import { startTimeSkippingServer, type TimeSkippingServer } from '../../../support/time-skipping.ts'
import { startWorkflow, updateRunning } from '../../../support/workflow-story-client.ts'

/** R$ 50.00 a week by the payer's bank, which may be asked again where it could not be debited. */
const TERMS: Omit<RecurrenceTerms, 'startsOn'> = {
  valueCents: 5_000,
  minimumCents: null,
  frequency: 'WEEKLY',
  endsOn: null,
  contract: 'Plano 1',
  subject: 'Mensalidade',
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  generate: 'AUTOMATIC',
  daysBefore: 4,
}
/** Woovi needs the address. */
const DEBTOR = {
  name: 'Ana Souza',
  document: '52998224725',
  address: { street: 'Rua A', city: 'Belo Horizonte', state: 'MG', zipCode: '30421322' },
}

/** The debit of a cycle, as our database has it. */
export type TimelineDebit = {
  uuid: string
  recurrence: string
  railId: string
  dialect: ProviderApi
  connection: string
  cycle: number
  debitOn: string
  state: ChargeState
  tries: ChargeTry[]
}
export type TimelineMerchant = {
  accountUuid: string
  connectionUuid: string
  providerAccountUuid: string
  /** Its name at the simulator. */
  simulatedAccount: string
}
export type TimelineRecurrence = { uuid: string; railId: string; connectionUuid: string }
type ActivityCall = { name: string; input?: { order?: { debit?: { railId: string } } } }

export type RecurrenceTimeline = Awaited<ReturnType<typeof openRecurrenceTimeline>>

/**
 * Recurrences over days that skip: their workflows on a Temporal server whose clock skips ahead, their activities over PostgreSQL, and the
 * simulated banks, all by that one clock. The clock of this process is set to it at each activity, and by `passUntil`. No bank notifies:
 * the test does, or has the notification lost. `timeScale` divides the waits of the workflows, but no day.
 */
export async function openRecurrenceTimeline({ timeScale = 1 } = {}) {
  const books = await openActivityFixture()
  const simulator = await openSimulatorFixture()
  const providers = createProviderRegistry({
    openCredentials: books.seal.open,
    timeoutMs: 10_000,
    ca: simulator.ca,
  })
  let server: TimeSkippingServer
  const temporal: TemporalContext = {
    client: async () => ({ workflow: server.client }) as unknown as Client,
    taskQueue: 'trilho',
    timeScale,
  }
  const dependencies: ActivityDependencies = { ...books.dependencies, providers, temporal, timeScale }
  const activities: Record<string, (input: never) => Promise<unknown>> = {
    ...databaseActivities(dependencies),
    ...providerActivities(dependencies),
    attemptFirstDeliveries: async () => ({ open: [] }),
  }
  let beforeActivity: (call: ActivityCall) => Promise<unknown> = async () => {}
  const releases = new Map<string, Promise<void>>()
  server = await startTimeSkippingServer({
    main: Object.fromEntries(
      Object.entries(activities).map(([name, activity]) => [
        name,
        async (input: never) => {
          await followClock()
          await beforeActivity({ name, input })
          const result = await activity(input)
          releaseClockAtEnd(input, result)
          return result
        },
      ]),
    ),
    // No merchant here has an endpoint.
    webhooks: { attemptDelivery: async () => undefined },
  })
  // It goes on between two activities: the simulator's own waits are milliseconds.
  fakeDate(new Date(), { isRunning: true })

  async function followClock(): Promise<void> {
    const nowMs = await server.env.currentTimeMs()
    if (nowMs > Date.now()) jest.setSystemTime(nowMs)
  }

  /** The server keeps a lock on its clock for a child that ends after the run that started it: each debit does. */
  function releaseClockAtEnd(input: unknown, result: unknown): void {
    const { chargeUuid, order } = (input ?? {}) as { chargeUuid?: string; order?: { uuid: string } }
    const { kind, state } = (result ?? {}) as { kind?: string; state?: ChargeState }
    const uuid = chargeUuid ?? order?.uuid
    if (uuid === undefined || state === undefined || kind === 'no_answer' || releases.has(uuid)) return
    if (chargeMachine.isFinal(state)) releases.set(uuid, releaseClock(WORKFLOWS.charge.idOf(uuid)))
  }

  async function releaseClock(workflowId: string): Promise<void> {
    const child = server.client.getHandle(workflowId)
    await child.result()
    const [started] = (await child.fetchHistory()).events ?? []
    const parent = started?.workflowExecutionStartedEventAttributes?.parentWorkflowExecution
    if (!parent?.workflowId) return
    const parentRun = server.client.getHandle(parent.workflowId, parent.runId ?? undefined)
    for (;;) {
      const events = (await parentRun.fetchHistory()).events ?? []
      const isReported = events.some(
        event =>
          event.childWorkflowExecutionCompletedEventAttributes?.workflowExecution?.workflowId === workflowId,
      )
      if (isReported) return
      const isOver = events.some(
        event =>
          event.workflowExecutionContinuedAsNewEventAttributes ??
          event.workflowExecutionCompletedEventAttributes,
      )
      if (isOver) return server.unlockTime()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  const notification = (connectionUuid: string) => ({ notificationUuid: randomUUID(), connectionUuid })

  return {
    /** The simulator's own access to payers and banks. */
    control: simulator.control,
    today: () => computeBrasiliaDay(new Date()),

    /** Calls `act` before each activity from now on. */
    interceptActivities(act: (call: ActivityCall) => Promise<unknown>): void {
      beforeActivity = act
    },

    /** Lets time pass until an hour of a day in Brasília. */
    async passUntil(day: string, hour: number): Promise<void> {
      const atMs = computeBrasiliaDayEnd(addDays(day, -1)).getTime() + hour * HOUR
      const waitMs = atMs - (await server.env.currentTimeMs())
      if (waitMs > 0) await server.env.sleep(waitMs)
      await followClock()
    },

    /** A merchant at a simulated bank of their own. */
    async createMerchant(dialect: ProviderApi): Promise<TimelineMerchant> {
      const name = `shop-${randomUUID()}`
      const { provider, holder, ispb } = SHOP
      const { login, credentials } = await createSimulatedCredentials(simulator.control, dialect, name)
      const collectionKey = randomUUID()
      await simulator.control.putAccount(name, {
        ...login,
        provider,
        dialect,
        holder,
        ispb,
        keys: [collectionKey],
        // Years pass within minutes.
        options: { enforces_pace: false },
      })
      const { uuid: accountUuid } = await createAccount(books.orm.em.fork(), holder)
      const connection = await createConnection(books.orm.em.fork(), books.seal, {
        accountUuid,
        provider,
        providerAccount: name,
        dialect,
        type: 'NOMINAL',
        isSimulated: true,
        baseUrl: simulator.facts.providers[provider].base_url,
        credentials,
        collectionKey,
      })
      const { uuid: connectionUuid, providerAccountUuid } = connection
      return { accountUuid, connectionUuid, providerAccountUuid, simulatedAccount: name }
    },

    /** A recurrence that its provider has created, and that waits for its payer. */
    async order(
      { accountUuid, connectionUuid }: TimelineMerchant,
      terms: Pick<RecurrenceTerms, 'startsOn'> & Partial<RecurrenceTerms>,
    ): Promise<TimelineRecurrence> {
      const uuid = randomUUID()
      const details: RecurrenceInputDetails = {
        terms: { ...TERMS, ...terms },
        debtor: DEBTOR,
        splits: [],
        fingerprint: 'f',
      }
      const input: RecurrenceInput = {
        uuid,
        accountUuid,
        candidates: [connectionUuid],
        details: books.seal.seal(details),
        requestId: 'r',
        timeScale,
      }
      const { type, idOf } = WORKFLOWS.recurrence
      const target = { client: server.client, taskQueue: server.taskQueue, workflowId: idOf(uuid) }
      await startWorkflow(target, { type, input })
      await updateRunning(target, { update: awaitResultUpdate, updateId: 'ordered' })
      const { railId } = await readRecurrence(uuid)
      if (railId === null) throw new Error('the recurrence was not created')
      return { uuid, railId, connectionUuid }
    },

    /** The next call of the bank for a merchant is carried out, and gets no answer that a table lists. */
    loseAnswer: (
      { simulatedAccount: account }: TimelineMerchant,
      operation: NonNullable<FaultBody['operation']>,
    ) =>
      simulator.control.addFault({
        provider: SHOP.provider,
        account,
        operation,
        fault: 'done_then_unlisted_refusal',
      }),

    notifyRecurrence: ({ uuid, connectionUuid }: TimelineRecurrence) =>
      signalRecurrence(temporal, uuid, notification(connectionUuid)),
    notifyDebit: ({ uuid, connection }: TimelineDebit) =>
      signalOperation(temporal, 'charge', uuid, notification(connection)),

    /** The merchant orders another try of a debit. */
    async retry({ uuid: chargeUuid }: TimelineDebit, on: string): Promise<void> {
      const uuid = randomUUID()
      const details = books.seal.seal({ retryOn: on, fingerprint: 'f' })
      await server.client
        .getHandle(WORKFLOWS.charge.idOf(chargeUuid))
        .executeUpdate(reviseChargeUpdate, { updateId: uuid, args: [{ uuid, requestId: 'r', details }] })
    },

    readRecurrence,

    /** The debits of a recurrence, or all that are open, by their cycles. */
    listDebits(recurrenceUuid?: string): Promise<TimelineDebit[]> {
      const isOpen = `c.state in ('pending', 'debiting', 'paying')`
      return books.sql<TimelineDebit>(
        `select c.uuid, c.recurrence_uuid as recurrence, r.rail_id as "railId", k.dialect, k.uuid as connection, c.cycle,
           c.debit_on as "debitOn", c.state, c.tries
         from charge c join recurrence r on r.uuid = c.recurrence_uuid join connection k on k.uuid = c.connection_uuid
         where ${recurrenceUuid === undefined ? isOpen : 'c.recurrence_uuid = ?'} order by c.recurrence_uuid, c.cycle`,
        recurrenceUuid === undefined ? [] : [recurrenceUuid],
      )
    },

    /** What is available to the merchant, once nothing else of theirs is in the ledger. */
    readBalances: ({ accountUuid }: TimelineMerchant) => books.readBalances(accountUuid),

    /** Checks the ledger by itself, and its sums against what the banks hold. */
    async findLedgerFaults(merchants: TimelineMerchant[]): Promise<LedgerViolation[]> {
      const em = books.orm.em.fork()
      const held = merchants.map(({ providerAccountUuid }) => providerAccountUuid)
      return [...(await checkLedger(em)), ...(await checkProviderBalances(em.fork(), providers, held))]
    },

    async close(): Promise<void> {
      jest.useRealTimers()
      await server.stop()
      await Promise.allSettled(releases.values())
      await providers.close()
      await simulator.close()
      await books.close()
    },
  }

  async function readRecurrence(uuid: string) {
    type Row = {
      state: RecurrenceState
      railId: string | null
      cancelledBy: string | null
      skipped: unknown[]
    }
    const [row] = await books.sql<Row>(
      `select state, rail_id as "railId", cancelled_by as "cancelledBy", skipped_cycles as skipped from recurrence where uuid = ?`,
      [uuid],
    )
    return row!
  }
}
