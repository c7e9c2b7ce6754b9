import { describe, expect, test } from '@jest/globals'
import type { ActivityResult, ActivityScript, Story } from '../../support/workflow-story.ts'
import {
  recurrenceKnown as known,
  NO_FOLLOW_UPS,
  recurrenceRow as row,
} from '../../support/workflow-story-answers.ts'
import { debitInput, SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/** Recurrences of Pix Automático, from their creation to their end (SPEC §2). */

const stories = setUpWorkflowStories()
const DAY_MS = 86_400_000

/** An active recurrence whose next charge is created after so long. */
const activeWithCharge = (inMs: number) => async (story: Story) =>
  known('active', { nextCreationAt: new Date((await story.now()) + inMs).toISOString() })
const NO_ANSWER = { kind: 'no_answer', code: 'timeout' } as const
const UNKNOWN = { kind: 'unknown', code: 'timeout' } as const
const NOT_FOUND = { kind: 'not_found' } as const
const CREATED = { openRecurrence: [row('creating')], createRecurrence: [known('pending')] }

describe('the creation', () => {
  test('a recurrence is created at one provider and polled hourly until its payer has decided', async () => {
    const story = await stories.recurrence({
      ...CREATED,
      pollRecurrence: [known('pending'), known('processing'), known('rejected')],
    })
    await story.finishWith('rejected')
    expect(story.calls).toEqual(['openRecurrence', 'createRecurrence', ...Array(3).fill('pollRecurrence')])
    expect(story.history.timers).toEqual(Array(3).fill('poll the provider: 1 h'))
    expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'REJECTED'])
  })

  test('a lost answer is looked up after 1 and 10 minutes, and no other provider is called', async () => {
    const story = await stories.recurrence({
      openRecurrence: [row('creating')],
      createRecurrence: [UNKNOWN],
      lookUpRecurrence: [NOT_FOUND, known('pending')],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.callsByConnection.slice(1, 4)).toEqual([
      'createRecurrence connection-a',
      'lookUpRecurrence connection-a',
      'lookUpRecurrence connection-a',
    ])
    expect(story.history.timers.slice(0, 2)).toEqual([
      'creation without an answer: next look-up: 1 min',
      'creation without an answer: next look-up: 9 min',
    ])
  })

  test('one that two look-ups do not find is requested again, at the same provider', async () => {
    const story = await stories.recurrence({
      openRecurrence: [row('creating')],
      createRecurrence: [UNKNOWN, known('pending')],
      lookUpRecurrence: [NOT_FOUND, UNKNOWN, NOT_FOUND],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.calls.slice(1, 6)).toEqual([
      'createRecurrence',
      ...Array(3).fill('lookUpRecurrence'),
      'createRecurrence isAbsenceProved',
    ])
    expect(story.callsByConnection[5]).toBe('createRecurrence connection-a')
  })

  test('a lost worker is a lost answer', async () => {
    const story = await stories.recurrence({
      openRecurrence: [row('creating')],
      createRecurrence: [
        () => {
          throw new Error('the worker has ended')
        },
      ],
      lookUpRecurrence: [known('pending')],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.calls.slice(1, 3)).toEqual(['createRecurrence', 'lookUpRecurrence'])
  })

  test('a refusal goes on to the next provider', async () => {
    const story = await stories.recurrence({
      openRecurrence: [row('creating')],
      createRecurrence: [{ kind: 'refused' }, known('pending', { connectionUuid: 'connection-b' })],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.callsByConnection.slice(1, 3)).toEqual([
      'createRecurrence connection-a',
      'createRecurrence connection-b',
    ])
  })

  test('a recurrence that all refuse fails', async () => {
    const story = await stories.recurrence({
      openRecurrence: [row('creating')],
      createRecurrence: [{ kind: 'refused' }, { kind: 'refused' }],
      failRecurrence: [row('failed')],
    })
    await story.finishWith('failed')
  })

  test('a recurrence that had lost its workflow is looked up where it may have been created', async () => {
    const story = await stories.reopenedRecurrence({
      getRecurrence: [row('creating', { tried: ['connection-b'] })],
      createRecurrence: [UNKNOWN],
      lookUpRecurrence: [known('pending')],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.callsByConnection.slice(1, 3)).toEqual([
      'createRecurrence connection-b',
      'lookUpRecurrence connection-b',
    ])
  })
})

describe('the first charge', () => {
  const CREATING = { openRecurrence: [row('creating', { hasFirstCharge: true })] }
  const withFirstCharge = (script: ActivityScript) => stories.recurrence(script, 1, { hasFirstCharge: true })
  const ISSUED = { connectionUuid: 'connection-b' }

  test('it is issued first, and the recurrence is created at its provider alone', async () => {
    const story = await withFirstCharge({
      ...CREATING,
      issueFirstCharge: [ISSUED],
      createRecurrence: [UNKNOWN],
      lookUpRecurrence: [known('pending')],
      pollRecurrence: [known('rejected')],
    })
    await story.finishWith('rejected')
    expect(story.callsByConnection.slice(1, 4)).toEqual([
      'issueFirstCharge',
      'createRecurrence connection-b',
      'lookUpRecurrence connection-b',
    ])
    expect(story.calls[1]).toBe('issueFirstCharge order')
  })

  test('where none is issued the recurrence fails', async () => {
    const story = await withFirstCharge({
      ...CREATING,
      issueFirstCharge: [{ connectionUuid: null }],
      cancelFirstCharge: [() => undefined],
      failRecurrence: [row('failed')],
    })
    await story.finishWith('failed')
  })

  test('it is cancelled where its provider refuses the recurrence', async () => {
    const story = await withFirstCharge({
      ...CREATING,
      issueFirstCharge: [ISSUED],
      createRecurrence: [{ kind: 'refused' }],
      cancelFirstCharge: [() => undefined],
      failRecurrence: [row('failed')],
    })
    await story.finishWith('failed')
    expect(story.calls.slice(-2)).toEqual(['cancelFirstCharge', 'failRecurrence'])
  })

  test('a creation that may have arrived is looked up, whatever has become of the charge', async () => {
    const story = await stories.reopenedRecurrence({
      getRecurrence: [row('creating', { hasFirstCharge: true, tried: ['connection-b'] })],
      createRecurrence: [UNKNOWN],
      lookUpRecurrence: [known('pending')],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.calls.slice(1, 3)).toEqual(['createRecurrence', 'lookUpRecurrence'])
  })
})

describe('the consent of the payer', () => {
  test('the request is sent once the recurrence is created, and again where the answer is lost', async () => {
    const story = await stories.recurrence({
      openRecurrence: [row('creating')],
      createRecurrence: [known('pending', { isRequestDue: true })],
      requestConsent: [NO_ANSWER, NO_ANSWER, known('pending')],
      pollRecurrence: [known('expired')],
    })
    await story.finishWith('expired')
    expect(story.calls.slice(2)).toEqual([...Array(3).fill('requestConsent'), 'pollRecurrence'])
    expect(story.history.timers).toEqual([
      'poll the provider: 5 s',
      'poll the provider: 10 s',
      'poll the provider: 1 h',
    ])
  })

  test('a notification is polled for at once', async () => {
    const story = await stories.recurrence({ ...CREATED, pollRecurrence: [known('rejected')] }, SLOWLY)
    await story.awaitAccepted()
    await story.notify()
    await story.finishWith('rejected')
    expect(story.history.timers).toEqual(['poll the provider: 1000 h, woken'])
  })
})

describe('the cycles', () => {
  const DEBIT_FAILED: ActivityResult<'issueDebit'> = {
    kind: 'closed',
    state: 'failed',
    connectionUuid: 'connection-a',
    expiresAt: null,
    orphans: [],
    ...NO_FOLLOW_UPS,
  }
  const chargeUuidOf = (story: Story, cycle: number) => story.uuid.replace('-4000-', `-400${cycle}-`)
  const dueCycle = (cycle: number) => async (story: Story) => ({
    ...row('active'),
    charge: { cycle, order: debitInput(chargeUuidOf(story, cycle)) },
  })
  /** Recorded once the charge has ended: the test server keeps its clock for a child that is running when its parent continues as new. */
  const recorded = (cycle: number) => async (story: Story) => {
    await story.target.client.getHandle(`charge/${chargeUuidOf(story, cycle)}`).result()
    return row('active')
  }

  test('the charge of a cycle is started on its day, each time in a run of its own', async () => {
    const story = await stories.recurrence({
      ...CREATED,
      pollRecurrence: [activeWithCharge(3_600_000), activeWithCharge(7_200_000), known('ended')],
      prepareCycle: [dueCycle(1), dueCycle(2)],
      recordCycle: [recorded(1), recorded(2)],
      getRecurrence: [row('active'), row('active')],
      issueDebit: [DEBIT_FAILED, DEBIT_FAILED],
    })
    const firstRun = await story.readRunId()
    await story.finishWith('ended')
    expect(await story.readRunId()).not.toBe(firstRun)
    expect(story.calls.filter(call => !call.startsWith('issueDebit'))).toEqual([
      ...['openRecurrence', 'createRecurrence', 'pollRecurrence', 'prepareCycle', 'recordCycle'],
      ...['getRecurrence', 'pollRecurrence', 'prepareCycle', 'recordCycle'],
      ...['getRecurrence', 'pollRecurrence'],
    ])
    expect(story.calls.filter(call => call.startsWith('issueDebit'))).toHaveLength(2)
    const { events } = await story.target.client.getHandle(`charge/${chargeUuidOf(story, 1)}`).fetchHistory()
    const started = events?.[0]?.workflowExecutionStartedEventAttributes
    expect(Object.keys(started?.searchAttributes?.indexedFields ?? {}).sort()).toEqual([
      ...['TrilhoAccount', 'TrilhoProvider', 'TrilhoStatus', 'TrilhoValueCents'],
    ])
  })

  test('a repeat of a cycle starts no second charge', async () => {
    const story = await stories.recurrence({
      ...CREATED,
      pollRecurrence: [activeWithCharge(3_600_000), activeWithCharge(7_200_000), known('ended')],
      prepareCycle: [dueCycle(1), dueCycle(1)],
      recordCycle: [recorded(1), recorded(1)],
      getRecurrence: [row('active'), row('active')],
      issueDebit: [DEBIT_FAILED],
    })
    await story.finishWith('ended')
  })

  test('a cycle that is not due yet by the clock of the worker is prepared again', async () => {
    const story = await stories.recurrence({
      ...CREATED,
      pollRecurrence: [activeWithCharge(3_600_000), known('ended')],
      prepareCycle: [
        async story => row('active', { nextCreationAt: new Date(await story.now()).toISOString() }),
        dueCycle(1),
      ],
      recordCycle: [recorded(1)],
      getRecurrence: [row('active')],
      issueDebit: [DEBIT_FAILED],
    })
    await story.finishWith('ended')
  })

  test('an active recurrence is polled daily, and at the end of its last day', async () => {
    const story = await stories.recurrence({
      ...CREATED,
      pollRecurrence: [
        async story =>
          known('active', { endsAt: new Date((await story.now()) + 1.5 * DAY_MS).toISOString() }),
        async story =>
          known('active', { endsAt: new Date((await story.now()) + 0.5 * DAY_MS).toISOString() }),
        NO_ANSWER,
        known('ended'),
      ],
    })
    await story.finishWith('ended')
    expect(story.history.timers).toEqual([
      'poll the provider: 1 h',
      'poll the provider: 24 h',
      'poll the provider: 12 h',
      'poll the provider: 5 s',
    ])
  })
})

describe('the cancellation', () => {
  const ACTIVE = { ...CREATED, createRecurrence: [known('active')] }

  test('a recurrence is cancelled at its provider', async () => {
    const story = await stories.recurrence({ ...ACTIVE, cancelRecurrence: [known('cancelled')] }, SLOWLY)
    expect(await story.cancelRecurrence()).toEqual({ kind: 'closed', state: 'cancelled' })
    await story.finishWith('cancelled')
  })

  test('a lost answer is asked for on the schedule, and the caller is told', async () => {
    const story = await stories.recurrence({ ...ACTIVE, cancelRecurrence: [NO_ANSWER, known('cancelled')] })
    expect(await story.cancelRecurrence()).toEqual({ kind: 'no_answer' })
    await story.finishWith('cancelled')
  })

  test('a provider that refuses leaves it as it is', async () => {
    const story = await stories.recurrence(
      { ...ACTIVE, cancelRecurrence: [known('active')], pollRecurrence: [known('ended')] },
      SLOWLY,
    )
    expect(await story.cancelRecurrence()).toEqual({ kind: 'closed', state: 'active' })
    await story.notify()
    await story.finishWith('ended')
  })

  test('the debits that it leaves open are polled at once', async () => {
    const story = await stories.recurrence(
      {
        ...ACTIVE,
        cancelRecurrence: [known('cancelled', { hasOpenDebits: true })],
        signalOpenDebits: [() => undefined],
      },
      SLOWLY,
    )
    expect(await story.cancelRecurrence()).toEqual({ kind: 'closed', state: 'cancelled' })
    await story.finishWith('cancelled')
    expect(story.calls.at(-1)).toBe('signalOpenDebits')
  })

  test('one that is over is not cancelled', async () => {
    const story = await stories.recurrence({ ...ACTIVE, pollRecurrence: [known('ended')] }, SLOWLY)
    await story.awaitAccepted()
    await story.notify()
    await story.finishWith('ended')
    await expect(story.cancelRecurrence()).rejects.toThrow()
  })
})
