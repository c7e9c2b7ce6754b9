import { describe, expect, test } from '@jest/globals'
import {
  crash,
  keyIs,
  keyUnknown,
  neverBegun,
  notThere,
  stillThere,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()
const SETTLE_MS = 600_000
const LOOK_MS = 60_000
const open = { openPixKey: ['creating' as const] }

describe('a key', () => {
  test('is made by one call', async () => {
    const story = await on.pixKey({ ...open, createKey: [keyIs('active')] })
    await story.endsAs('active')
    expect(story.asked).toEqual(['openPixKey', 'createKey'])
    expect(story.told.shown).toEqual(['ACTIVE'])
  })

  test('that its provider refuses is not made', async () => {
    const story = await on.pixKey({ ...open, createKey: [keyIs('refused')] })
    await story.endsAs('refused')
    expect(story.told.shown).toEqual(['REFUSED'])
  })

  test('that may not be is stored as refused, and no provider is called', async () => {
    const story = await on.pixKey({ openPixKey: ['refused'] })
    await story.endsAs('refused')
    expect(story.asked).toEqual(['openPixKey'])
  })

  test('whose answer was lost is found in the list at once', async () => {
    const story = await on.pixKey({ ...open, createKey: [keyUnknown], askKey: [keyIs('active')] })
    await story.endsAs('active')
    expect(story.told.waits).toEqual([])
  })

  test('whose answer is known is told to who waits for it', async () => {
    const story = await on.pixKey({ ...open, createKey: [keyUnknown], askKey: [keyUnknown, keyIs('active')] })
    const told = story.isAnswered()
    await story.isAsked(3)
    await story.endsAs('active')
    await told
  })

  test('is looked for again on the schedule while its provider does not list its keys', async () => {
    const story = await on.pixKey({
      ...open,
      createKey: [keyUnknown],
      askKey: [...Array(7).fill(keyUnknown), keyIs('active')],
    })
    await story.endsAs('active')
    expect(story.told.waits.map(wait => wait.split(': ').at(-1))).toEqual([
      ...['5 s', '10 s', '30 s', '1 min', '5 min', '1 h', '1 h'],
    ])
  })

  test('that two looks after the settle window do not find was never made, and is not asked for again', async () => {
    const story = await on.pixKey({
      ...open,
      createKey: [keyUnknown],
      askKey: Array(8).fill(notThere),
      giveUpKey: ['refused'],
    })
    await story.endsAs('refused')
    expect(story.asked).toEqual(['openPixKey', 'createKey', ...Array(8).fill('askKey'), 'giveUpKey'])
    const [, , first, , , , , , afterWindow, last] = story.askedAt
    expect(afterWindow! - first!).toBeGreaterThanOrEqual(SETTLE_MS)
    expect(last! - afterWindow!).toBeGreaterThanOrEqual(LOOK_MS)
  })

  test('that turns up late is made', async () => {
    const story = await on.pixKey({
      ...open,
      createKey: [keyUnknown],
      askKey: [notThere, notThere, keyIs('active')],
    })
    await story.endsAs('active')
  })

  test('whose call broke off is looked for, and asked for again only where nothing was begun', async () => {
    const story = await on.pixKey({
      ...open,
      createKey: [crash, keyIs('active')],
      askKey: [neverBegun],
    })
    await story.endsAs('active')
    expect(story.asked).toEqual(['openPixKey', 'createKey', 'askKey', 'createKey'])
  })

  test('waits by the time scale', async () => {
    const story = await on.pixKey(
      { ...open, createKey: [keyUnknown], askKey: [keyUnknown, keyIs('active')] },
      1_000,
    )
    await story.endsAs('active')
    expect(story.told.waits.map(wait => wait.split(': ').at(-1))).toEqual(['5 ms'])
  })
})

describe('a key that is to go', () => {
  test('goes by one call', async () => {
    const story = await on.pixKeyRemoval({ deleteKey: [keyIs('removed')] })
    await story.endsAs('removed')
    expect(story.asked).toEqual(['deleteKey'])
  })

  test('stays where its provider refuses', async () => {
    const story = await on.pixKeyRemoval({ deleteKey: [keyIs('active')] })
    await story.endsAs('active')
  })

  test('is gone where an unknown removal is not in the list any more', async () => {
    const story = await on.pixKeyRemoval({ deleteKey: [keyUnknown], askKeyRemoval: [keyIs('removed')] })
    await story.endsAs('removed')
  })

  test('is removed again while the list has it, and whatever breaks off', async () => {
    const story = await on.pixKeyRemoval({
      deleteKey: [crash, keyUnknown, keyIs('removed')],
      askKeyRemoval: [stillThere, keyUnknown, stillThere],
    })
    await story.endsAs('removed')
    expect(story.asked).toEqual([
      ...['deleteKey', 'askKeyRemoval', 'deleteKey', 'askKeyRemoval', 'askKeyRemoval', 'deleteKey'],
    ])
    expect(story.told.waits.map(wait => wait.split(': ').at(-1))).toEqual(['5 s', '10 s'])
  })
})
