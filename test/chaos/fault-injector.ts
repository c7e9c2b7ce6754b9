import { setTimeout as sleep } from 'node:timers/promises'
import { isProcessAlive, signalProcess } from '../../packages/dev/process/identity.ts'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { makeMachineBusy } from '../support/busy-machine.ts'
import { readRunningProcesses } from '../support/stack.ts'
import { stallCommits } from './commit-stall.ts'
import { failingInboxesOf, type Participants } from './participants.ts'
import type { FaultEvent, RestartableProcess } from './planned-faults.ts'
import { createProviderPanel } from './provider-panel.ts'
import type { StackClients } from './stack-clients.ts'

/**
 * The supervisor gives up a child that ends five times in a row, each within ten seconds: the interval between kills is
 * longer than this.
 */
const MIN_UPTIME_MS = 11_000
const RECOVERY_LIMIT_MS = 60_000
/** Longer than a heartbeat may be missed (src/workflows/shared/activity-proxies.ts), and than the proof of absence takes. */
const PAUSE_MS = 20_000
/** How a server is restarted: with the stop signal of its supervisor. */
const RESTART_SIGNALS = {
  postgres: 'SIGINT',
  temporal: 'SIGTERM',
  worker: 'SIGTERM',
  api: 'SIGTERM',
} as const

export type FaultInjector = ReturnType<typeof createFaultInjector>

/** Injects the faults as the operations go on: call faults immediately, kills one after the other, each waited for. */
export function createFaultInjector({
  site,
  participants: cast,
  plannedFaults: weather,
  say,
}: {
  site: StackClients
  participants: Participants
  plannedFaults: FaultEvent[]
  say: (line: string) => void
}) {
  const coming = [...weather]
  const fouls = failingInboxesOf(cast)
  const panel = createProviderPanel(site, cast)
  const counts: Record<string, number> = {}
  const started: Partial<Record<RestartableProcess, number>> = {}
  let faults = Promise.resolve()
  let deaths = Promise.resolve()

  return {
    counts,
    /** Waits for every fault that was planned before this operation. */
    injectBefore(place: number): void {
      while (coming[0] && coming[0].before <= place) {
        const event = coming.shift()!
        if (event.kind === 'death') deaths = deaths.then(() => die(event))
        else if (event.kind === 'sleep') deaths = deaths.then(sleepThrough)
        else if (event.kind === 'stall') deaths = deaths.then(() => stall(event))
        else if (event.kind === 'load') deaths = deaths.then(() => takeMachine(event))
        else faults = faults.then(() => bring(event))
      }
    },
    /** Waits until every fault has ended and every killed process is back. */
    finish: async () => {
      await Promise.all([faults, deaths])
      await panel.unblockAll()
    },
  }

  async function bring(
    event: Exclude<FaultEvent, { kind: 'death' | 'sleep' | 'stall' | 'load' }>,
  ): Promise<void> {
    const { simulator } = site
    switch (event.kind) {
      case 'fault': {
        const { provider, operation, fault, times, delayMs, pageSize } = event
        await simulator.addFault({
          provider,
          fault,
          times,
          ...(operation && { operation }),
          ...(delayMs !== undefined && { delay_ms: delayMs }),
          ...(pageSize !== undefined && { page_size: pageSize }),
        })
        return count(`fault ${fault}`)
      }
      case 'clear':
        await simulator.clearFaults()
        return count('faults taken away')
      case 'inbox': {
        const { status, delayMs } = event
        const inbox = fouls[event.endpoint % fouls.length]!
        await simulator.setInboxResponse(inbox, { status, delay_ms: delayMs })
        if (status !== 200 || delayMs > 0) count(`endpoint ${status === 200 ? 'slow' : `answers ${status}`}`)
        return
      }
      case 'panel':
        if (await panel.moveMoney(event)) count(`panel ${event.movement}`)
        return
      case 'unblock':
        if (await panel.unblock(event.block)) count('panel unblock')
        return
      case 'operator':
        if (await panel.decideOrder(event.approves)) count(`order ${event.approves ? 'approved' : 'removed'}`)
    }
  }

  async function die({ of, by }: Extract<FaultEvent, { kind: 'death' }>): Promise<void> {
    await sleep(Math.max(0, (started[of] ?? 0) + MIN_UPTIME_MS - Date.now()))
    const before = (await readRunningProcesses(site.home))[of]
    if (!before) return
    say(`${of}: ${by}`)
    count(`${of} ${by}`)
    signalProcess(before, by === 'kill -9' ? 'SIGKILL' : RESTART_SIGNALS[of])
    const back = await waitUntil(
      async () => {
        const now = (await readRunningProcesses(site.home))[of]
        return !isProcessAlive(before) && now !== undefined && isProcessAlive(now)
      },
      { description: `${of} does not come back`, limitMs: RECOVERY_LIMIT_MS },
    )
    if (back) started[of] = Date.now()
  }

  async function stall({ forMs }: Extract<FaultEvent, { kind: 'stall' }>): Promise<void> {
    say('postgres: commits stall')
    count('commits stall')
    await stallCommits(site, forMs)
  }

  async function takeMachine({ load, forMs }: Extract<FaultEvent, { kind: 'load' }>): Promise<void> {
    say(`machine: a load of ${load}`)
    count('machine is busy')
    const release = makeMachineBusy(load)
    await sleep(forMs)
    await release()
  }

  async function sleepThrough(): Promise<void> {
    const worker = (await readRunningProcesses(site.home)).worker
    if (!worker) return
    say('worker: sleeps')
    count('worker sleeps')
    signalProcess(worker, 'SIGSTOP')
    await sleep(PAUSE_MS)
    signalProcess(worker, 'SIGCONT')
  }

  function count(what: string): void {
    counts[what] = (counts[what] ?? 0) + 1
  }
}
