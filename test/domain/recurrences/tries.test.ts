import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { type ChargeTry, TRY_KINDS, TRY_STATUSES } from '../../../src/domain/recurrences/charge-try.ts'
import { RETRY_POLICIES } from '../../../src/domain/recurrences/recurrence.ts'
import {
  CHARGE_CANCEL_CODES,
  RECURRENCE_CANCEL_CODES,
  RECURRENCE_REJECTION_CODES,
  TRY_CODES,
} from '../../../src/domain/recurrences/recurrence-codes.ts'
import {
  areTriesOver,
  findRetryRefusal,
  judgeTryCode,
  listRetryDays,
  type TriedCharge,
} from '../../../src/domain/recurrences/tries.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import vectors from './recurrence-vectors.json' with { type: 'json' }

const DUE_DAY = '2026-06-09'
const createTry = (overrides: Partial<ChargeTry> = {}): ChargeTry => ({
  on: DUE_DAY,
  kind: 'FIRST',
  status: 'REJECTED',
  code: null,
  endToEnd: null,
  ...overrides,
})
const createCharge = (overrides: Partial<TriedCharge> = {}): TriedCharge => ({
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  dueDay: DUE_DAY,
  nextDueDay: '2026-07-09',
  tries: [createTry()],
  ...overrides,
})
const listDays = (fromDay: string, count: number) =>
  Array.from({ length: count }, (_, offset) => addDays(fromDay, offset))

describe('an independent reading in Python agrees', () => {
  test.each(vectors.retries.map(vector => [vector.name, vector] as const))('%s', (_name, vector) => {
    const charge = vector.charge as TriedCharge
    expect(listRetryDays(charge, vector.today)).toEqual(vector.days)
    expect(areTriesOver(charge, vector.today)).toBe(vector.over)
  })
})

/** The pix-api's own description: its lists of codes, and its sentence on those that end a charge. */
const pixApi = parse(
  readFileSync(
    fileURLToPath(new URL('../../providers/openapi/bcb-pix-api-2.9.0.yaml', import.meta.url)),
    'utf8',
  ),
)
const { CobRAtualizacao, CobRTentativas, RecEncerramento } = pixApi.components.schemas
const publishedTryCode = CobRTentativas.properties.tentativas.items.properties.rejeicao.properties.codigo
const [cancellation, rejection] = CobRAtualizacao.properties.encerramento.oneOf
const [recurrenceRejection, recurrenceCancellation] = RecEncerramento.properties.encerramento.oneOf
const PUBLISHED_ENDS = new Set<string>(publishedTryCode.description.match(/`([A-Z0-9]{4})`/g))
const WOOVI_CODES = ['AG12', 'CRNC', 'EXPR', 'FCD1', 'FCD2', 'GRER', 'RJCT']
const ALL_TRY_CODES: string[] = [...publishedTryCode.enum, ...WOOVI_CODES]

describe('the codes', () => {
  test('of a rejected try are those of the pix-api and of Woovi', () => {
    expect(ALL_TRY_CODES).toHaveLength(26)
    expect(Object.keys(TRY_CODES).sort()).toEqual(ALL_TRY_CODES.toSorted())
    expect(rejection.properties.rejeicao.properties.codigo.enum).toEqual(publishedTryCode.enum)
  })

  test('of a cancelled charge, a cancelled and a rejected recurrence are those of the pix-api', () => {
    expect(CHARGE_CANCEL_CODES).toEqual(cancellation.properties.cancelamento.properties.codigo.enum)
    expect(RECURRENCE_CANCEL_CODES).toEqual(
      recurrenceCancellation.properties.cancelamento.properties.codigo.enum,
    )
    expect(RECURRENCE_REJECTION_CODES).toEqual([
      ...recurrenceRejection.properties.rejeicao.properties.codigo.enum,
      'AP15',
    ])
  })

  test('of names that every object has are unknown', () => {
    expect(judgeTryCode('constructor')).toBe('unknown')
    expect(judgeTryCode('ZZ99')).toBe('unknown')
  })
})

describe.each(RETRY_POLICIES)('a first try that fails where retries are %s', retryPolicy => {
  test.each(ALL_TRY_CODES)('with %s', code => {
    const charge = createCharge({ retryPolicy, tries: [createTry({ code })] })
    const daysLater = (days: number) => addDays(DUE_DAY, days)
    const overFrom = (days: number) =>
      expect([days - 1, days].map(day => areTriesOver(charge, daysLater(day)))).toEqual([false, true])
    if (PUBLISHED_ENDS.has(`\`${code}\``)) {
      expect(judgeTryCode(code)).toBe('ends_charge')
      expect(areTriesOver(charge, daysLater(-4))).toBe(true)
      expect(listRetryDays(charge, DUE_DAY)).toEqual([])
    } else if (code === 'NIPA') {
      expect(judgeTryCode(code)).toBe('proves_payment')
      expect(areTriesOver(charge, daysLater(60))).toBe(false)
      expect(listRetryDays(charge, DUE_DAY)).toEqual([])
    } else {
      expect(judgeTryCode(code)).toBe('fails_try')
      const isRetried = retryPolicy === 'THREE_IN_SEVEN_DAYS'
      expect(listRetryDays(charge, DUE_DAY)).toEqual(isRetried ? listDays(daysLater(1), 7) : [])
      overFrom(isRetried ? 7 : 1)
    }
  })
})

describe('a retry', () => {
  const retries = ['2026-06-10', '2026-06-11', '2026-06-12'].map(on => createTry({ on, kind: 'RETRY' }))
  test.each<[string, Partial<TriedCharge>, string, string, ReturnType<typeof findRetryRefusal>]>([
    ['on the first day', {}, '2026-06-10', DUE_DAY, null],
    ['on the seventh day', {}, '2026-06-16', DUE_DAY, null],
    ['of an unknown failure', { tries: [createTry({ code: 'ZZ99' })] }, '2026-06-10', DUE_DAY, null],
    ['without a policy', { retryPolicy: 'NOT_ALLOWED' }, '2026-06-10', DUE_DAY, 'not_allowed'],
    ['of a paid charge', { tries: [createTry({ status: 'PAID' })] }, '2026-06-10', DUE_DAY, 'already_paid'],
    ['of an ended charge', { tries: [createTry({ code: 'AC05' })] }, '2026-06-10', DUE_DAY, 'charge_ended'],
    ['before any try', { tries: [] }, '2026-06-10', DUE_DAY, 'try_pending'],
    [
      'while one is scheduled',
      { tries: [createTry(), createTry({ on: '2026-06-12', kind: 'RETRY', status: 'SCHEDULED' })] },
      '2026-06-13',
      '2026-06-10',
      'try_pending',
    ],
    ['after three', { tries: [createTry(), ...retries] }, '2026-06-14', '2026-06-12', 'no_retries_left'],
    ['today', {}, '2026-06-10', '2026-06-10', 'not_future'],
    ['on the due day', {}, DUE_DAY, '2026-06-05', 'outside_retry_period'],
    ['on the eighth day', {}, '2026-06-17', '2026-06-10', 'outside_retry_period'],
    ['in the next cycle', { nextDueDay: '2026-06-16' }, '2026-06-16', DUE_DAY, 'outside_retry_period'],
    [
      'on a day that had one',
      { tries: [createTry(), ...retries.slice(1, 2)] },
      '2026-06-11',
      DUE_DAY,
      'day_already_tried',
    ],
  ])('%s', (_name, overrides, on, today, expected) => {
    expect(findRetryRefusal(createCharge(overrides), { on, today })).toBe(expected)
  })
})

describe('for every list of tries', () => {
  const random = createSeededRandom(20_260_609)
  const chooseFrom = <T>(values: readonly T[]): T => values[random.upTo(values.length - 1)]!
  const charges = Array.from({ length: 500 }, () =>
    createCharge({
      retryPolicy: chooseFrom(RETRY_POLICIES),
      nextDueDay: chooseFrom([null, '2026-06-16', '2026-07-09']),
      tries: Array.from({ length: random.upTo(4) }, () =>
        createTry({
          on: addDays(DUE_DAY, random.upTo(7)),
          kind: chooseFrom(TRY_KINDS),
          status: chooseFrom(TRY_STATUSES),
          code: chooseFrom([null, 'ZZ99', ...ALL_TRY_CODES]),
        }),
      ),
    }),
  )

  test('a charge whose tries are over has no retry, and stays over', () => {
    for (const charge of charges) {
      const over = listDays(addDays(DUE_DAY, -10), 30).map(today => {
        const isOver = areTriesOver(charge, today)
        if (isOver) expect(listRetryDays(charge, today)).toEqual([])
        return isOver
      })
      expect(over.toSorted()).toEqual(over)
    }
  })

  test('its tries are over two weeks later, unless one is pending or proves a payment', () => {
    for (const charge of charges) {
      const isOpen =
        charge.tries.length === 0 ||
        charge.tries.some(
          ({ status, code }) => ['REQUESTED', 'SCHEDULED', 'PAID'].includes(status) || code === 'NIPA',
        )
      expect(areTriesOver(charge, addDays(DUE_DAY, 14))).toBe(!isOpen)
    }
  })
})
