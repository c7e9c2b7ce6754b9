import { describe, expect, test } from '@jest/globals'
import type { DueTerms } from '../../src/domain/charges/due-terms.ts'
import { listUnsupportedDueMembers } from '../../src/domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../src/domain/providers/capabilities.ts'
import {
  BACEN_MODALITIES,
  listDifferentMembers,
  readDueMembers,
  shownMembersSchema,
  writeDueMembers,
} from '../../src/providers/bacen/due-modalities.ts'

const NONE: DueTerms = {
  on: '2030-05-07',
  payableDaysAfter: 0,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
}
const numbersOf = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test.each(['efi', 'sicoob', 'inter'] as const)(
  '%s computes the modalities of the table, and no others',
  api => {
    const { fine, interest, abatement, discount } = PROVIDER_CAPABILITIES[api].dueCharges!
    expect({ multa: fine, juros: interest, abatimento: abatement, desconto: discount }).toEqual(
      Object.fromEntries(Object.entries(BACEN_MODALITIES).map(([name, modes]) => [name, Object.keys(modes)])),
    )
  },
)

describe.each(numbersOf(8))('interest of modality %d', juros => {
  test.each(numbersOf(6))('with a discount of modality %d is read and written back the same', desconto => {
    const valorPerc = '1.05'
    const discount =
      desconto <= 2
        ? { modalidade: desconto, descontoDataFixa: [{ data: '2030-05-01', valorPerc }] }
        : { modalidade: desconto, valorPerc }
    for (const modalidade of [1, 2]) {
      const written = {
        multa: { modalidade, valorPerc: '2.00' },
        juros: { modalidade: juros, valorPerc },
        abatimento: { modalidade, valorPerc: '0.50' },
        desconto: discount,
      }
      const read = readDueMembers(shownMembersSchema.parse(written))
      const terms = { ...NONE, ...read } as DueTerms
      expect(writeDueMembers(terms)).toEqual(written)
      expect(listDifferentMembers(terms, read)).toEqual([])
      expect(listUnsupportedDueMembers(terms, PROVIDER_CAPABILITIES.efi.dueCharges!)).toEqual([])
    }
  })
})

test('a member that is nothing counts as absent, and one of no modality is none', () => {
  const shown = shownMembersSchema.parse({
    multa: { modalidade: 1, valorPerc: '0.00' },
    juros: { modalidade: 9, valorPerc: '1.00' },
    abatimento: 'odd',
    desconto: null,
  })
  expect(readDueMembers(shown)).toEqual({
    fine: null,
    interest: undefined,
    abatement: undefined,
    discount: null,
  })
})
