import { describe, expect, test } from '@jest/globals'
import type { Answer } from '../support/workflow-story.ts'
import {
  absent,
  delivered,
  inProcess,
  issued,
  issuedByNobody,
  known,
  notThere,
  opened,
  refused,
  SEEN,
  settled,
  silent,
  stands,
  unknown,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

/** SPEC §11: lives that are newer than their restored database. Whatever they find, nobody is told to send or to issue. */

const on = stage()
const HOUR = 3_600_000

/** A life that had come to this, or that still ran, when its database was restored. */
const rebuilt = (ended?: string) => ({
  restored: { orderedAt: '2026-11-01T00:00:00.000Z', ...(ended !== undefined && { ended }) },
})
const foundAt = (connectionUuid: string): Answer<'seekTransfer'> => ({ kind: 'found', connectionUuid })
const nobodySays: Answer<'seekTransfer'> = { kind: 'unknown', connectionUuid: 'connection-a' }
const nowhere: Answer<'seekTransfer'> = { ...absent(), connectionUuid: 'connection-a' }
const neverWent: Answer<'seekTransfer'> = {
  kind: 'rejected',
  code: 'not_found_after_restore',
  finality: 'final',
  deliveries: [],
  returns: [],
}

describe('a rebuilt transfer', () => {
  test('is found at the provider that has it and followed there to its settlement', async () => {
    const event = on.uuid()
    const story = await on.transfer(
      {
        storeTransfer: [stands('created')],
        seekTransfer: [nobodySays, foundAt('connection-b')],
        askTransfer: [inProcess, unknown, settled()],
        transferNow: [stands('paid', { deliveries: [event] })],
        deliver: [delivered],
      },
      rebuilt(),
    )
    await story.endsAs('paid')
    expect(story.told.waits.slice(0, 2)).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      'unknown: look again: 5 s',
    ])
    expect(story.told.children).toEqual([`webhook/${event}`])
  })

  test('has failed once all have twice said after the settle window that they know nothing of it', async () => {
    const story = await on.transfer(
      {
        storeTransfer: [stands('created')],
        seekTransfer: [nowhere, nowhere, nowhere, neverWent],
        failTransfer: [stands('failed')],
      },
      rebuilt('failed'),
    )
    await story.endsAs('failed')
    expect(story.asked.slice(1)).toEqual([
      ...Array(3).fill('seekTransfer'),
      'seekTransfer lastLook',
      'failTransfer',
    ])
    expect(story.told.waits).toEqual(['absent: look again: 10 min', 'absent: look again: 1 min'])
  })

  test('that was seen to settle has gone, whatever is not found now: an operator ends it', async () => {
    const story = await on.transfer(
      {
        storeTransfer: [stands('created')],
        seekTransfer: Array(9).fill(nowhere),
        settleTransfer: [settled()],
        transferNow: [stands('paid')],
      },
      rebuilt('paid'),
    )
    await story.passes(3 * HOUR)
    expect(story.asked).not.toContain('seekTransfer lastLook')
    await story.isSettledBy({ ...SEEN, as: 'settled', endToEnd: 'E1', reason: 'the bank says so' })
    expect(await story.ends()).toBe('paid')
  })

  test('that is no longer found where it was is asked about there, and never sent', async () => {
    const story = await on.transfer(
      {
        storeTransfer: [stands('sending')],
        seekTransfer: [foundAt('connection-a')],
        askTransfer: [notThere, notThere, notThere, notThere, { kind: 'never_begun' }, settled()],
        transferNow: [stands('paid')],
      },
      rebuilt(),
    )
    await story.endsAs('paid')
  })

  test('that was cancelled before it was sent is cancelled again, and nobody is asked', async () => {
    const story = await on.scheduledTransfer(
      HOUR,
      { storeTransfer: [stands('cancelled')] },
      rebuilt('cancelled'),
    )
    await story.endsAs('cancelled')
  })

  test('whose time has not come goes on as ordered', async () => {
    const story = await on.scheduledTransfer(
      HOUR,
      {
        storeTransfer: [stands('created')],
        sendTransfer: [settled()],
        transferNow: [stands('paid')],
      },
      { restored: { ...rebuilt().restored, waits: true } },
    )
    await story.endsAs('paid')
    expect(story.askedAt[1]! - story.askedAt[0]!).toBeGreaterThanOrEqual(HOUR - 10_000)
  })
})

describe('a rebuilt refund', () => {
  test('waits for its charge, is found and followed', async () => {
    const story = await on.refund(
      {
        reopenRefund: [
          { kind: 'unknown', code: 'not_found' },
          { kind: 'known', opened: opened('sending') },
        ],
        seekRefund: [nobodySays, foundAt('connection-a')],
        askRefund: [inProcess, settled()],
      },
      rebuilt(),
    )
    await story.endsAs('settled')
  })

  test('that its provider never got has failed', async () => {
    const story = await on.refund(
      {
        reopenRefund: [{ kind: 'known', opened: opened('sending') }],
        seekRefund: [nowhere, nowhere, nowhere, neverWent],
      },
      rebuilt(),
    )
    await story.endsAs('failed')
  })

  test('that its provider has refused since has failed', async () => {
    const story = await on.refund(
      {
        reopenRefund: [{ kind: 'known', opened: opened('sending') }],
        seekRefund: [foundAt('connection-a')],
        askRefund: [refused],
      },
      rebuilt('failed'),
    )
    await story.endsAs('failed')
  })
})

describe('a rebuilt charge', () => {
  test('is shown again as its provider knows it, and asked about at once', async () => {
    const orphan = on.uuid()
    const story = await on.charge(
      {
        seekCharge: [
          { kind: 'no_answer', code: 'timeout' },
          async story => ({ kind: 'known', issued: await issued({ orphans: [orphan] })(story) }),
        ],
        followCharge: [silent(), known('paid')],
        closeOrphan: [{ kind: 'closed', deliveries: [], returns: [] }],
      },
      rebuilt('paid'),
    )
    await story.endsAs('paid')
    expect(story.told.children).toEqual([`orphan/${orphan}`])
  })

  test('that was not paid yet lives on to its end', async () => {
    const story = await on.charge(
      {
        seekCharge: [async story => ({ kind: 'known', issued: await issued()(story) })],
        followCharge: [known('pending'), known('expired')],
      },
      rebuilt(),
    )
    await story.endsAs('expired')
    expect(story.asked).toEqual(['seekCharge', 'followCharge', 'followCharge closing'])
  })

  test('that nobody knows has failed', async () => {
    const story = await on.charge({ seekCharge: [{ kind: 'known', issued: issuedByNobody() }] }, rebuilt())
    await story.endsAs('failed')
  })
})
