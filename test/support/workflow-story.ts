import { expect } from '@jest/globals'
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type {
  eventActivities,
  noticeActivities,
  providerActivities,
  reconciliationActivities,
  recordActivities,
  webhookActivities,
} from '../../src/activities/index.ts'
import {
  answered,
  type CancelAnswer,
  cancelCharge,
  cancelTransfer,
  deliveryChanged,
  type MedReplyAnswer,
  type OperatorsWord,
  operatorSettles,
  replyMed,
} from '../../src/workflows/messages.ts'
import type { TimeSkipping } from './time-skipping.ts'
import { type Chronicle, chronicleOf } from './workflow-story-chronicle.ts'
import * as doors from './workflow-story-doors.ts'
import { keepHistory } from './workflow-story-recording.ts'

type Activities = ReturnType<typeof providerActivities> &
  ReturnType<typeof recordActivities> &
  ReturnType<typeof noticeActivities> &
  ReturnType<typeof eventActivities> &
  ReturnType<typeof reconciliationActivities> &
  ReturnType<typeof webhookActivities>
export type ActivityName = keyof Activities
export type Answer<Name extends ActivityName> = Awaited<ReturnType<Activities[Name]>>

/** What one call answers: a value, or something that happens while the far side is being asked. */
export type Line<Name extends ActivityName> =
  | Answer<Name>
  | ((story: Story) => Answer<Name> | Promise<Answer<Name>>)

/** What the far side does, by activity and in order. A call that nobody wrote a line for fails the story. */
export type Script = { [Name in ActivityName]?: Line<Name>[] }

/** `wokenWith` is the input that wakes the life once it has ended. */
export type Telling = { script: Script; workflowId: string; uuid: string; type: string; wokenWith?: unknown }

/** The life of one workflow: the workflow is the real one on a real server, and only the far side is played. */
export class Story {
  readonly uuid: string
  readonly door: doors.Door
  /** What the far side was asked, in order, with the flags that were set: `followCharge closing`. */
  readonly asked: string[] = []
  /** The same, with the connection where a call names one: `sendTransfer connection-a`. */
  readonly askedThrough: string[] = []
  /** When it was asked, in ms of the server's clock. */
  readonly askedAt: number[] = []
  readonly #temporal: TimeSkipping
  readonly #script: Script
  readonly #unscripted: string[] = []
  readonly #heard = new Map<string, Promise<unknown>>()
  readonly #waking: doors.Life
  readonly #lives = new Set<string>()
  #chronicle: Chronicle | undefined

  constructor(temporal: TimeSkipping, { script, workflowId, uuid, type, wokenWith }: Telling) {
    this.#temporal = temporal
    this.#script = Object.fromEntries(Object.entries(script).map(([name, lines]) => [name, [...lines]]))
    this.uuid = uuid
    this.door = { client: temporal.client, taskQueue: temporal.taskQueue, workflowId }
    this.#waking = { type, input: wokenWith ?? { resume: uuid, timeScale: 1 } }
  }

  /** The far side's part. A local activity whose workflow task was lost runs again, and hears what it heard. */
  plays(name: ActivityName, input: unknown): Promise<unknown> {
    const { isLocal, activityId, attempt, workflowExecution } = activityInfo()
    if (!isLocal) return this.#next(name, input)
    const call = [workflowExecution?.runId, activityId, attempt].join(' ')
    const heard = this.#heard.get(call) ?? this.#next(name, input)
    this.#heard.set(call, heard)
    return heard
  }

  /** The next line of the script. */
  async #next(name: ActivityName, input: unknown): Promise<unknown> {
    const { unlessFinal: _, ...asked }: { unlessFinal?: boolean } = input ?? {}
    const flags = Object.entries(asked).filter(([name, value]) => value === true || name === 'order')
    this.asked.push([name, ...flags.map(([flag]) => flag)].join(' '))
    const { connectionUuid } = asked as { connectionUuid?: string }
    this.askedThrough.push([name, ...(connectionUuid ? [connectionUuid] : [])].join(' '))
    this.askedAt.push(await this.now())
    const line = this.#script[name]?.shift()
    if (line === undefined) {
      this.#unscripted.push(name)
      throw ApplicationFailure.nonRetryable(`nobody wrote a line for ${name}`)
    }
    return typeof line === 'function' ? line(this) : line
  }

  /** The server's clock. */
  now(): Promise<number> {
    return this.#temporal.env.currentTimeMs()
  }

  /** Lets time pass; what falls due in it happens. */
  passes(ms: number): Promise<void> {
    return this.#temporal.env.sleep(ms)
  }

  /** A notice for a life that runs; false where there is none. */
  isTold(connectionUuid: string = NOTICE.connectionUuid): Promise<boolean> {
    return doors.tell(this.door, { ...NOTICE, connectionUuid })
  }

  /** The same of one that came some time ago. */
  isToldLate(): Promise<boolean> {
    const { justNow: _, ...notice } = NOTICE
    return doors.tell(this.door, notice)
  }

  /** A notice that wakes the life where it has ended. */
  isToldAgain(more: { tellsReturn?: true } = {}): Promise<void> {
    return doors.wake(this.door, this.#waking, { ...NOTICE, ...more })
  }

  /** Somebody cancels the charge, which wakes its life where it has ended. */
  cancels(updateId = 'cancel'): Promise<CancelAnswer> {
    return doors.wakeAndAsk(this.door, this.#waking, { update: cancelCharge, updateId })
  }

  /** The merchant answers a dispute, which wakes its life where it has ended. */
  replies(updateId = 'reply'): Promise<MedReplyAnswer> {
    const args = [{ details: 'sealed', requestId: updateId }]
    return doors.wakeAndAsk(this.door, this.#waking, { update: replyMed as never, updateId, args })
  }

  /** Somebody asks to cancel, and has been heard: the answer comes later. */
  startsToCancel(updateId = 'cancel'): Promise<{ result(): Promise<CancelAnswer> }> {
    return doors.startToAsk(this.door, { update: cancelCharge, updateId })
  }

  /** Resolves when a transfer or refund is accepted, refused by all, or cannot be sent. */
  isAnswered(updateId = 'answered'): Promise<void> {
    return doors.askRunning(this.door, { update: answered, updateId })
  }

  cancelsTransfer(updateId = 'cancel'): Promise<boolean> {
    return doors.askRunning(this.door, { update: cancelTransfer, updateId })
  }

  /** Its history grows as in weeks of asking, so that the server advises it to go on as new. */
  async growsLong(): Promise<void> {
    const handle = this.door.client.getHandle(this.door.workflowId)
    for (let part = 0; part < 3; part++) await handle.signal('ballast', 'x'.repeat(1_500_000))
  }

  /** The run that it is in. */
  async run(): Promise<string> {
    const { runId } = await this.door.client.getHandle(this.door.workflowId).describe()
    return runId
  }

  /** What the Temporal UI shows as its Call Stack. */
  callStack(): Promise<string> {
    return this.door.client.getHandle(this.door.workflowId).query('__stack_trace')
  }

  /** What an operator found out where no provider can tell. */
  async isSettledBy(word: OperatorsWord): Promise<void> {
    await this.door.client.getHandle(this.door.workflowId).signal(operatorSettles, word)
  }

  /** Somebody has changed the row of a delivery. */
  async isToldOfAChange(): Promise<void> {
    await this.door.client.getHandle(this.door.workflowId).signal(deliveryChanged)
  }

  /** Waits, while time stands still, until the far side was asked so often. */
  async isAsked(times: number): Promise<void> {
    const limit = Date.now() + 15_000
    while (this.asked.length < times) {
      if (Date.now() > limit) throw new Error(`It was asked only: ${this.asked.join(', ')}`)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  /** Lets time run until the life and all that it began are over; answers what the life itself came to. */
  async ends(): Promise<unknown> {
    const { client } = this.#temporal.env
    const handle = client.workflow.getHandle(this.door.workflowId)
    const result = await client.withDeadline(Date.now() + 60_000, () => handle.result())
    this.#chronicle = chronicleOf(await handle.fetchHistory())
    await this.#temporal.whileTimeRuns(() => this.#untilOver(this.told))
    expect(this.#unscripted).toEqual([])
    for (const life of [this.door.workflowId, ...this.#lives]) await keepHistory(client, life)
    return result
  }

  /** Ends like `ends`, with the whole script said. */
  async endsAs(result: unknown): Promise<void> {
    expect(await this.ends()).toEqual(result)
    expect(Object.values(this.#script).flat()).toEqual([])
  }

  /** What the life's last run looked like, once it has ended. */
  get told(): Chronicle {
    if (!this.#chronicle) throw new Error('The story has not ended.')
    return this.#chronicle
  }

  async isBrokenOff(): Promise<void> {
    if (this.#chronicle) return
    const handle = this.#temporal.client.getHandle(this.door.workflowId)
    await handle.terminate('the story is over').catch(() => {})
  }

  /** Waits for the children of a life that is over, and for theirs. */
  async #untilOver(parent: Chronicle): Promise<void> {
    await Promise.all(
      parent.children.map(async workflowId => {
        if (this.#lives.has(workflowId)) return
        this.#lives.add(workflowId)
        const handle = this.#temporal.client.getHandle(workflowId)
        await handle.result()
        if (!parent.heardOf.includes(workflowId)) await this.#temporal.freesTime()
        await this.#untilOver(chronicleOf(await handle.fetchHistory()))
      }),
    )
  }
}

export const NOTICE = { noticeUuid: 'notice', connectionUuid: 'connection-a', justNow: true } as const
