import { describe, expect, test } from '@jest/globals'
import type { Story } from '../support/workflow-story.ts'
import {
  absent,
  closed,
  inProcess,
  issued,
  keyIs,
  keyUnknown,
  known,
  medIs,
  medKnown,
  now,
  nowPending,
  opened,
  refundIs,
  refused,
  SEEN,
  settled,
  silent,
  stands,
  stillThere,
  taken,
  unanswered,
  unknown,
  unreachable,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

/** Lives that nobody can end for months go on as new, long before Temporal ends them by the length of their history. */

const on = stage()
/** The server's clock goes on by itself too: whoever asks on a schedule asks no sooner than he is told, however busy the machine. */
const SLOWLY = 1 / 1_000

/** What is asked next finds its history long; after so many calls it is in its next run. */
async function goesOnAsNew(story: Story, { calls }: { calls: number }): Promise<void> {
  const [run, asked] = [await story.run(), story.asked.length]
  await story.growsLong()
  await story.isTold()
  await story.isAsked(asked + calls)
  expect(await story.run()).not.toBe(run)
}

describe('a transfer that its provider cannot tell of', () => {
  test('is asked about there, and sent to nobody else; who was left and told of it before is asked in the end', async () => {
    const story = await on.transfer(
      {
        sendTransfer: [unreachable, unknown, unknown],
        askTransfer: [unknown, unknown, settled(), refused],
        transferNow: [stands('sending'), stands('paid'), stands('paid')],
      },
      { timeScale: SLOWLY },
    )
    await story.isAsked(2)
    await story.isTold('connection-a')
    await story.isAsked(3)
    await story.growsLong()
    await story.isTold('connection-b')
    await story.isAsked(6)
    await story.endsAs('paid')
    expect(story.askedThrough).toEqual([
      'sendTransfer connection-a',
      'sendTransfer connection-b',
      'askTransfer connection-b',
      'askTransfer connection-b',
      'transferNow',
      'sendTransfer connection-b',
      'askTransfer connection-b',
      'transferNow',
      'askTransfer connection-a',
      'transferNow',
    ])
  })

  test('is answered as not known, to whoever waits for it and to whoever asks later', async () => {
    const story = await on.transfer(
      {
        sendTransfer: [unknown, unknown],
        askTransfer: [unknown, settled()],
        transferNow: [stands('sending'), stands('paid')],
      },
      { timeScale: SLOWLY },
    )
    const waiting = story.isAnswered()
    await story.isAsked(1)
    await goesOnAsNew(story, { calls: 3 })
    await waiting
    await story.isAnswered('again')
    await story.endsAs('paid')
  })

  test('hears the operator in whichever run he speaks', async () => {
    const story = await on.transfer(
      {
        sendTransfer: [unknown, unknown],
        askTransfer: [unknown],
        transferNow: [stands('sending'), stands('failed')],
        settleTransfer: [refused],
        failTransfer: [stands('failed')],
      },
      { timeScale: SLOWLY },
    )
    await story.isAsked(1)
    await goesOnAsNew(story, { calls: 3 })
    await story.isSettledBy({ ...SEEN, as: 'rejected', reason: 'the bank says so' })
    await story.ends()
    expect(story.asked.slice(-2)).toEqual(['settleTransfer', 'failTransfer'])
  })
})

test('a refund that its provider cannot tell of is opened once', async () => {
  const story = await on.refund(
    {
      openRefund: [opened('sending'), opened('sending')],
      sendRefund: [inProcess, inProcess],
      askRefund: [unknown, settled()],
    },
    { timeScale: SLOWLY },
  )
  await story.isAsked(2)
  await goesOnAsNew(story, { calls: 3 })
  await story.endsAs('settled')
  expect(story.asked).toEqual([
    'openRefund',
    'sendRefund',
    'askRefund',
    'openRefund',
    'sendRefund',
    'askRefund',
  ])
})

test('a charge that waits for its payer waits on', async () => {
  const story = await on.charge(
    {
      issueCharge: [issued()],
      followCharge: [known('pending'), known('expired')],
      chargeNow: [nowPending()],
    },
    { timeScale: SLOWLY },
  )
  await goesOnAsNew(story, { calls: 2 })
  await story.endsAs('expired')
})

describe('a late word', () => {
  test('about a transfer is asked for on', async () => {
    const story = await on.wokenTransfer({
      askTransfer: [unknown, unknown, unknown, settled()],
      transferNow: Array(5).fill(stands('paid')),
    })
    await story.isAsked(2)
    await goesOnAsNew(story, { calls: 4 })
    await story.endsAs('paid')
  })

  test('about a refund is asked for on', async () => {
    const story = await on.wokenRefund({
      refundNow: Array(3).fill(refundIs('failed')),
      askRefund: [unknown, unknown, settled()],
    })
    await story.isAsked(2)
    await goesOnAsNew(story, { calls: 3 })
    expect(await story.ends()).toBe('failed')
    expect(story.asked.filter(name => name === 'askRefund')).toHaveLength(3)
  })

  test('about a charge is asked for on, though it is over', async () => {
    const story = await on.wokenCharge({
      chargeNow: [now('expired'), now('expired')],
      followCharge: [silent(), silent(), known('paid')],
    })
    await story.isAsked(2)
    await goesOnAsNew(story, { calls: 3 })
    await story.endsAs('paid')
  })

  test('about a dispute is asked for on, though it is over', async () => {
    const story = await on.med(
      {
        medNow: [medIs('resolved'), medIs('resolved')],
        followMed: [unanswered(), unanswered(), unanswered(), medKnown('resolved')],
      },
      SLOWLY,
    )
    await story.isAsked(2)
    await goesOnAsNew(story, { calls: 3 })
    await story.endsAs('resolved')
  })

  test('about a return that was refused is asked for, before anything of it is sent again', async () => {
    const story = await on.wokenReturn({
      sendReturn: [refused],
      askReturn: [unknown, unknown, settled()],
    })
    await story.isAsked(2)
    await goesOnAsNew(story, { calls: 2 })
    await story.endsAs('settled')
  })
})

describe('a return', () => {
  test('that its provider cannot tell of is asked about', async () => {
    const story = await on.return({ sendReturn: [unknown, unknown], askReturn: [unknown, settled()] }, SLOWLY)
    await story.isAsked(1)
    await goesOnAsNew(story, { calls: 2 })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', 'askReturn', 'sendReturn', 'askReturn'])
  })

  test('that never left is tried again', async () => {
    const story = await on.return(
      {
        sendReturn: [unreachable, unreachable, settled()],
        askReturn: [absent()],
      },
      SLOWLY,
    )
    await story.isAsked(1)
    await goesOnAsNew(story, { calls: 3 })
    await story.endsAs('settled')
  })
})

test('a payload that nobody was shown is closed, however long that takes', async () => {
  const story = await on.orphan({ closeOrphan: [unanswered(), unanswered(), unanswered(), closed()] })
  await story.isAsked(1)
  await goesOnAsNew(story, { calls: 2 })
  await story.ends()
  expect(story.asked).toHaveLength(4)
})

test('a deposit is asked for, however long its provider is silent', async () => {
  const story = await on.deposit({ takeDeposit: [unanswered(), unanswered(), unanswered(), taken()] })
  await story.isAsked(1)
  await goesOnAsNew(story, { calls: 2 })
  await story.endsAs('taken')
})

describe('a PIX key', () => {
  test('of which its provider cannot tell is looked for, and asked for by one attempt', async () => {
    const story = await on.pixKey({
      openPixKey: ['creating', 'creating'],
      createKey: [keyUnknown, keyUnknown],
      askKey: [keyUnknown, keyUnknown, keyIs('active')],
    })
    await isFoundLong(story)
    await story.endsAs('active')
  })

  test('that is not gone is removed, and asked about', async () => {
    const story = await on.pixKeyRemoval({
      deleteKey: [keyUnknown, keyUnknown, keyUnknown],
      askKeyRemoval: [keyUnknown, keyUnknown, stillThere, keyIs('removed')],
    })
    await isFoundLong(story)
    await story.endsAs('removed')
  })

  /** It hears no notices: its own clock lets it look, and see that it is long. */
  async function isFoundLong(story: Story): Promise<void> {
    const run = await story.run()
    await story.isAsked(2)
    await story.growsLong()
    await story.passes(10_000)
    expect(await story.run()).not.toBe(run)
  }
})
