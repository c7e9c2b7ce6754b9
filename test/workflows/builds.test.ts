import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { again as againOptions } from '../../src/engine/start.ts'
import { waitUntil } from '../../src/local/waiting.ts'
import * as ids from '../../src/workflows/ids.ts'
import { cancelTransfer, providerNotice, ready } from '../../src/workflows/messages.ts'
import { DEPLOYMENT, startBuilds, TASK_QUEUE } from '../support/builds.ts'
import { NOTICE, type Story } from '../support/workflow-story.ts'
import * as doors from '../support/workflow-story-doors.ts'
import {
  again,
  carried,
  closed,
  delivered,
  inProcess,
  issued,
  keyIs,
  keyUnknown,
  known,
  medKnown,
  notCarried,
  opened,
  settled,
  silent,
  stands,
  taken,
  unanswered,
} from '../support/workflow-story-lines.ts'
import { orderOf } from '../support/workflow-story-stage.ts'

/**
 * Two builds of the workers side by side, whose workflow code is incompatible in every workflow: workflows of every kind are in
 * progress while operators ramp, make current and move back, by the commands of docs/production.md.
 */

jest.setTimeout(240_000)

const TIME_SCALE = 10
const clock = { now: async () => Date.now() } as Story
/** Waves of workflows whose operations have ended at the providers. */
const ended = new Set<string>()
const isOver = (workflowId: string) => [...ended].some(wave => workflowId.includes(`/${wave}-`))
const orWhenOver =
  (inFlight: unknown, over: unknown) =>
  (workflowId: string): unknown => {
    const answer = isOver(workflowId) ? over : inFlight
    return typeof answer === 'function' ? answer(clock) : answer
  }
const whenOver = (answer: unknown) => async (workflowId: string) => {
  await waitUntil(() => isOver(workflowId), { what: `${workflowId} goes on`, limitMs: 200_000 })
  return answer
}
const once = (answer: unknown) => () => answer

let builds: Awaited<ReturnType<typeof startBuilds>>
beforeAll(async () => {
  builds = await startBuilds({
    issueCharge: () => issued()(clock),
    followCharge: orWhenOver(silent(), known('paid')),
    chargeNow: once({ state: 'paid', expiresAt: '2020-01-01T00:00:00.000Z', cancelRequested: false }),
    sendTransfer: once(inProcess),
    askTransfer: orWhenOver(
      inProcess,
      settled({ transfer: { state: 'paid', connectionUuid: 'connection-a' } }),
    ),
    storeTransfer: once(stands('created')),
    endWaiting: once(stands('cancelled')),
    transferNow: once(stands('paid')),
    openRefund: once(opened('sending')),
    sendRefund: once(inProcess),
    askRefund: orWhenOver(inProcess, settled()),
    sendReturn: once(inProcess),
    askReturn: orWhenOver(inProcess, settled()),
    medNow: once(null),
    followMed: orWhenOver(medKnown('open'), medKnown('rejected')),
    openPixKey: once('creating'),
    createKey: once(keyUnknown),
    askKey: orWhenOver(keyUnknown, keyIs('active')),
    deleteKey: once(keyUnknown),
    askKeyRemoval: orWhenOver(keyUnknown, keyIs('removed')),
    storeAuthCode: once(undefined),
    sendAuthCode: orWhenOver(notCarried, carried('sent')),
    closeOrphan: orWhenOver(unanswered(), closed()),
    takeDeposit: orWhenOver(unanswered(), taken()),
    keepUnmatched: once(100),
    deliver: orWhenOver(again(5_000), delivered),
    recoverDeliveries: whenOver({ recovered: 0 }),
    sweepDeliveries: whenOver({ woken: 0, disabled: 0 }),
    pruneEvents: whenOver({ forgotten: 0 }),
    sweepMeds: whenOver({ asked: 0, told: 0 }),
    sweepWorkflows: whenOver({}),
    sweepNotices: once({ waiting: 0, handedOver: 0 }),
    providerAccounts: whenOver([]),
    foldTallies: once(0),
  })
})
afterAll(() => builds?.stop())

/** A workflow of every kind: its type, its id, and what it is started with. */
const KINDS: [string, (uuid: string) => string, (uuid: string) => unknown][] = [
  ['chargeWorkflow', ids.chargeId, uuid => ({ ...orderOf(uuid), timeScale: TIME_SCALE })],
  ['transferWorkflow', ids.transferId, sendingOf],
  ['transferWorkflow', uuid => `${ids.transferId(uuid)}/later`, uuid => ({ ...sendingOf(uuid), ...LATER })],
  ['refundWorkflow', ids.refundId, uuid => ({ ...sendingOf(uuid), chargeUuid: 'charge', fingerprint: 'f' })],
  ['returnWorkflow', ids.returnId, sendingOf],
  ['keepWorkflow', uuid => `${ids.returnId(uuid)}/kept`, uuid => ({ uuid })],
  ['medWorkflow', ids.medId, uuid => ({ ...sendingOf(uuid), providerMedId: 'infraction', endToEnd: null })],
  ['pixKeyWorkflow', ids.pixKeyId, keyOf],
  ['pixKeyRemovalWorkflow', ids.pixKeyRemovalId, keyOf],
  ['authCodeWorkflow', ids.authCodeId, keyOf],
  ['orphanWorkflow', ids.orphanId, uuid => ({ attemptUuid: uuid, timeScale: TIME_SCALE })],
  ['depositWorkflow', uuid => ids.depositId('connection-a', uuid), sendingOf],
  ['deliveryWorkflow', ids.deliveryId, uuid => ({ deliveryUuid: uuid, timeScale: TIME_SCALE })],
  ['recoveryWorkflow', uuid => `recovery/${uuid}`, uuid => ({ webhookUuid: uuid })],
  ['deliverySweepWorkflow', uuid => `delivery-sweep/${uuid}`, none],
  ['eventPruningWorkflow', uuid => `event-pruning/${uuid}`, none],
  ['medSweepWorkflow', uuid => `med-sweep/${uuid}`, none],
  ['workflowSweepWorkflow', uuid => `workflow-sweep/${uuid}`, none],
  ['noticeSweepWorkflow', uuid => `notice-sweep/${uuid}`, none],
  ['reconciliationWorkflow', uuid => `reconciliation/${uuid}`, () => ({ hours: 48 })],
  ['tallyWorkflow', uuid => `tally/${uuid}`, none],
]

test('workflows of every kind go forwards and back between two builds without a failed workflow task', async () => {
  const { client, temporal, ranOn, bundles } = builds
  const { workflow } = client
  const waves: Record<string, string[]> = {}
  const version = (buildId: string) => ['--deployment-name', DEPLOYMENT, '--build-id', buildId]
  const makeCurrent = (buildId: string) =>
    temporal('worker', 'deployment', 'set-current-version', ...version(buildId), '--yes')
  const ramp = (buildId: string, percent: number) =>
    temporal(
      'worker',
      'deployment',
      'set-ramping-version',
      ...version(buildId),
      '--percentage',
      `${percent}`,
      '--yes',
    )
  const start = async (wave: string) => {
    const door = (workflowId: string) => ({ client: workflow, taskQueue: TASK_QUEUE, workflowId })
    waves[wave] = await Promise.all(
      KINDS.map(async ([type, idOf, inputOf], number) => {
        const uuid = `${wave}-${number}`
        const life = { type, input: inputOf(uuid) }
        const workflowId = idOf(uuid)
        if (type === 'chargeWorkflow')
          await doors.beginAndAsk(door(workflowId), life, { update: ready as never, updateId: uuid })
        else if (type === 'depositWorkflow' || type === 'medWorkflow')
          await doors.wake(door(workflowId), life, NOTICE)
        else await doors.begin(door(workflowId), life)
        return workflowId
      }),
    )
    await waitUntil(() => waves[wave]!.every(id => ranOn.has(id)), {
      what: () => `Not started: ${waves[wave]!.filter(id => !ranOn.has(id))}`,
      limitMs: 60_000,
    })
  }
  const buildsOf = (wave: string) => new Set(waves[wave]!.flatMap(id => [...ranOn.get(id)!]))
  /** Every workflow that listens to notifications executes a workflow task, and replays. */
  const notifyAll = () =>
    Promise.all(
      Object.values(waves)
        .flat()
        .map(id => doors.tell({ client: workflow, taskQueue: TASK_QUEUE, workflowId: id }, NOTICE)),
    )

  await builds.deploy('one')
  await makeCurrent('one')
  await start('a')
  expect(buildsOf('a')).toEqual(new Set(['one']))

  await builds.deploy('two')
  await ramp('two', 50)
  await start('b')
  expect(buildsOf('b')).toEqual(new Set(['one', 'two']))
  await notifyAll()

  await makeCurrent('two')
  await start('c')
  await scheduleOf('forwards')
  expect(buildsOf('c')).toEqual(new Set(['two']))
  await notifyAll()

  await makeCurrent('one')
  await start('d')
  await scheduleOf('back')
  expect(buildsOf('d')).toEqual(new Set(['one']))
  await notifyAll()

  // One of build two grows so long that it continues as new, after the way back.
  const long = waves.c!.find(id => id.startsWith('webhook/'))!
  const { runId: firstRun } = await workflow.getHandle(long).describe()
  for (let part = 0; part < 3; part++) await workflow.getHandle(long).signal('ballast', 'x'.repeat(1_500_000))
  await waitUntil(async () => (await workflow.getHandle(long).describe()).runId !== firstRun, {
    what: 'It does not continue as new',
    limitMs: 60_000,
  })

  // Build two is removed: what is pinned to it moves on to a build that replays its histories.
  await builds.deploy('three')
  const onTwo = `TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:two' and ExecutionStatus = 'Running'`
  const override = ['--versioning-override-behavior', 'pinned', '--versioning-override-build-id', 'three']
  const deployment = ['--versioning-override-deployment-name', DEPLOYMENT]
  const ranBefore = new Map([...ranOn].map(([id, ran]) => [id, new Set(ran)]))
  expect((await workflow.count(onTwo)).count).toBeGreaterThan(20)
  await temporal('workflow', 'update-options', '--query', onTwo, ...override, ...deployment, '--yes')
  await waitUntil(async () => (await workflow.count(onTwo)).count === 0, {
    what: 'Not every workflow is moved',
    limitMs: 60_000,
  })

  for (const wave of Object.keys(waves)) ended.add(wave)
  await notifyAll()
  for (const id of Object.values(waves)
    .flat()
    .filter(id => id.endsWith('/later')))
    await workflow.getHandle(id).executeUpdate(cancelTransfer)

  const histories = await Promise.all(
    Object.values(waves)
      .flat()
      .map(async workflowId => {
        const handle = workflow.getHandle(workflowId)
        await client.withDeadline(Date.now() + 60_000, () => handle.result())
        return { workflowId, history: await handle.fetchHistory() }
      }),
  )
  const events = histories.flatMap(({ workflowId, history }) =>
    history.events!.map(event => ({ workflowId, event })),
  )
  expect(events.filter(({ event }) => event.workflowTaskFailedEventAttributes)).toEqual([])
  // Each stayed with the build that it began on, with its activities on both task queues.
  expect([...ranBefore].filter(([, ran]) => ran.size !== 1)).toEqual([])
  const moves = [...ranOn.values()].map(ran => [...ran].join(' to '))
  expect([...new Set(moves)].sort()).toEqual(['one', 'two', 'two to three'])
  expect([...ranOn.get('tally-forwards')!, ...ranOn.get('tally-back')!]).toEqual(['two', 'one'])

  // A notification reopens what ended on build two: on the current version.
  const reopened = waves.c!.find(id => id.startsWith('charge/'))!
  const { runId } = await workflow
    .signalWithStart('chargeWorkflow', {
      ...againOptions({ taskQueue: TASK_QUEUE } as never, reopened),
      args: [{ resume: reopened, timeScale: TIME_SCALE }],
      signal: providerNotice,
      signalArgs: [NOTICE],
    })
    .then(({ signaledRunId }) => ({ runId: signaledRunId }))
  await workflow.getHandle(reopened, runId).result()
  expect(ranOn.get(reopened)).toContain('one')

  // What proves that the builds are incompatible: unpinned, each of these would have failed its workflow task.
  const ofOne = histories.filter(({ workflowId }) => waves.a!.includes(workflowId))
  const replays = Worker.runReplayHistories({ workflowBundle: bundles.two! }, ofOne)
  for await (const { workflowId, error } of replays)
    expect([workflowId, error?.name]).toEqual([workflowId, 'DeterminismViolationError'])

  async function scheduleOf(name: string): Promise<void> {
    const handle = await client.schedule.create({
      scheduleId: name,
      spec: {},
      action: {
        type: 'startWorkflow',
        workflowType: 'tallyWorkflow',
        workflowId: `tally-${name}`,
        taskQueue: TASK_QUEUE,
        args: [],
      },
    })
    await handle.trigger()
    const idOf = () => [...ranOn.keys()].find(id => id.startsWith(`tally-${name}`))
    await waitUntil(() => idOf() !== undefined, { what: 'The schedule starts nothing', limitMs: 60_000 })
    ranOn.set(`tally-${name}`, ranOn.get(idOf()!)!)
  }
})

const LATER = { scheduledFor: '2100-01-01T00:00:00.000Z' }

function sendingOf(uuid: string) {
  return { ...orderOf(uuid), connectionUuid: NOTICE.connectionUuid, endToEnd: uuid, timeScale: TIME_SCALE }
}

function keyOf(uuid: string) {
  return { ...sendingOf(uuid), type: 'EMAIL', authCodeUuid: 'code' }
}

function none() {
  return undefined
}
