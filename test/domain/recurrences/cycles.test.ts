import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { addDays, countDays } from '../../../src/domain/charges/business-days.ts'
import {
  findCreationPeriod,
  findCycle,
  findCycleOfDay,
  findLastCycleNumber,
  findNextCreation,
} from '../../../src/domain/recurrences/cycles.ts'
import { FREQUENCIES, type RecurrenceTerms } from '../../../src/domain/recurrences/recurrence.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import vectors from './recurrence-vectors.json' with { type: 'json' }

type CycleTerms = Pick<RecurrenceTerms, 'frequency' | 'startsOn' | 'endsOn'>

/** Writes the vectors; it shares nothing with the code under test. */
const VECTOR_SCRIPT = fileURLToPath(new URL('recurrence-vectors.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

describe('an independent reading in Python agrees', () => {
  test('on at least 60 cases, each of a name of its own', () => {
    const names = Object.entries(vectors).flatMap(([kind, list]) => list.map(({ name }) => `${kind} ${name}`))
    expect(names.length).toBeGreaterThanOrEqual(60)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(vectors.cycles.map(vector => [vector.name, vector] as const))(
    'on a cycle: %s',
    (_name, vector) => {
      expect(findCycle(vector.terms as CycleTerms, vector.number)).toEqual(vector.expected)
    },
  )

  test.each(vectors.days.map(vector => [vector.name, vector] as const))(
    'on the cycle of a day: %s',
    (_name, vector) => {
      expect(findCycleOfDay(vector.terms as CycleTerms, vector.day)?.number ?? null).toBe(vector.expected)
    },
  )

  test.each(vectors.creations.map(vector => [vector.name, vector] as const))(
    'on the next creation: %s',
    (_name, { terms, afterCycle, now, expected, skipped }) => {
      const creation = findNextCreation(terms as CycleTerms & { daysBefore: number }, {
        afterCycle,
        now: new Date(now),
      })
      const { next } = creation
      expect(next && { number: next.cycle.number, createAt: next.createAt.toISOString() }).toEqual(expected)
      expect(creation.skipped.map(({ number }) => number)).toEqual(skipped)
    },
  )

  const testWithPython = hasPython ? test : test.skip
  testWithPython('and still prints the vectors', () => {
    const printed = execFileSync('python3', [VECTOR_SCRIPT], { encoding: 'utf8' })
    expect(JSON.parse(printed)).toEqual(vectors)
  })
})

test('a charge may be created from the tenth to the second day before its due day', () => {
  expect(findCreationPeriod('2026-03-04')).toEqual({ firstDay: '2026-02-22', lastDay: '2026-03-02' })
})

test('a debit that its provider makes itself becomes the charge of its cycle until a week after its due day', () => {
  const terms = { frequency: 'MONTHLY', startsOn: '2026-03-04', endsOn: null, daysBefore: 4 } as const
  const find = (now: string, isProvider: boolean) =>
    findNextCreation(terms, { afterCycle: 0, now: new Date(now), isProvider })
  const [ordered, made, late] = [
    find('2026-03-11T15:00:00Z', false),
    find('2026-03-11T15:00:00Z', true),
    find('2026-03-12T15:00:00Z', true),
  ]
  expect([ordered, made, late].map(({ next }) => next!.cycle.number)).toEqual([2, 1, 2])
  expect([ordered, made, late].map(({ skipped }) => skipped.length)).toEqual([1, 0, 1])
})

test.each([
  ['no end', null, null],
  ['an end on a due day', '2027-03-31', 3],
  ['an end a day before', '2027-03-30', 2],
  ['an end on the first due day', '2027-01-31', 1],
])('the last cycle of a monthly recurrence with %s', (_, endsOn, expected) => {
  expect(findLastCycleNumber({ frequency: 'MONTHLY', startsOn: '2027-01-31', endsOn })).toBe(expected)
})

describe('for every recurrence', () => {
  const random = createSeededRandom(20_261_130)
  const createTerms = (): CycleTerms & { endsOn: string; daysBefore: number } => {
    const startsOn = addDays('2024-01-01', random.upTo(1_500))
    const endsOn = addDays(startsOn, random.upTo(1_000))
    return {
      frequency: FREQUENCIES[random.upTo(FREQUENCIES.length - 1)]!,
      startsOn,
      endsOn,
      daysBefore: 3 + random.upTo(6),
    }
  }

  const listDays = (fromDay: string, toDay: string) =>
    Array.from({ length: countDays(fromDay, toDay) + 1 }, (_, offset) => addDays(fromDay, offset))
  const listNumbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

  test('each day from its start to its end is in one cycle, and no other day is in one', () => {
    for (let round = 0; round < 40; round += 1) {
      const terms = createTerms()
      const found = listDays(terms.startsOn, terms.endsOn).map(day => findCycleOfDay(terms, day)?.number)
      const cycles = listNumbers(findLastCycleNumber(terms)!).map(number => findCycle(terms, number)!)
      expect(found).toEqual(
        cycles.flatMap(({ number, dueDay, lastDay }) => listDays(dueDay, lastDay).map(() => number)),
      )
      expect(findCycleOfDay(terms, addDays(terms.startsOn, -1))).toBeNull()
      expect(findCycleOfDay(terms, addDays(terms.endsOn, 1))).toBeNull()
      expect(findCycle(terms, cycles.length + 1)).toBeNull()
    }
  })

  test('each cycle has a charge that is created within its period, or is skipped, whenever a worker runs', () => {
    for (let round = 0; round < 100; round += 1) {
      const terms = createTerms()
      const visited: number[] = []
      let now = new Date(`${addDays(terms.startsOn, -random.upTo(40))}T12:00:00Z`)
      for (;;) {
        const { next, skipped } = findNextCreation(terms, { afterCycle: visited.at(-1) ?? 0, now })
        visited.push(...skipped.map(({ number }) => number))
        if (!next) break
        if (now < next.createAt) now = next.createAt
        const { firstDay, lastDay } = findCreationPeriod(next.cycle.dueDay)
        const today = now.toISOString().slice(0, 10)
        expect(today >= firstDay && today <= lastDay).toBe(true)
        visited.push(next.cycle.number)
        // A worker that does not run for a while, now and then for months.
        const hours = 24 * random.upTo(random.upTo(4) === 0 ? 120 : 3)
        now = new Date(now.getTime() + hours * 3_600_000)
      }
      expect(visited).toEqual(listNumbers(findLastCycleNumber(terms)!))
    }
  })
})
