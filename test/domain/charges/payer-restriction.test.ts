import { describe, expect, test } from '@jest/globals'
import {
  buildPayerRestriction,
  findPayerFieldErrors,
  judgePayer,
  type PayerFields,
  type PayerJudgement,
  type PayerRestriction,
} from '../../../src/domain/charges/payer-restriction.ts'
import { detectDocumentKind } from '../../../src/domain/pix/document.ts'
import {
  dispositionOfPayerReason,
  PAYER_REASONS,
  returnStatusOf,
} from '../../../src/domain/unmatched/deposit-return.ts'

const CPF = '52998224725'
const OTHER_CPF = '12345678909'
const CNPJ = '11222333000181'
const BRANCH = '11222333000262'
const OTHER_CNPJ = '11444777000161'
/** The example of IN RFB 2.229/2024, and a branch of the same root. */
const LETTERS = '12ABC34501DE35'
const LETTERS_BRANCH = '12ABC34500A119'

test('the documents of these tests have right check digits', () => {
  const documents = [CPF, OTHER_CPF, CNPJ, BRANCH, OTHER_CNPJ, LETTERS, LETTERS_BRANCH]
  expect(documents.map(detectDocumentKind)).toEqual(['CPF', 'CPF', 'CNPJ', 'CNPJ', 'CNPJ', 'CNPJ', 'CNPJ'])
})

describe('the payer of a PIX', () => {
  const full = (document: string): PayerRestriction => ({ document, match: 'FULL', kind: null })
  const root = (document: string): PayerRestriction => ({ document, match: 'ROOT', kind: null })
  const only = (kind: 'PERSON' | 'COMPANY'): PayerRestriction => ({ document: null, match: 'FULL', kind })

  test.each<[string, PayerRestriction, string | null | undefined, PayerJudgement]>([
    ['the debtor’s CPF', full(CPF), CPF, 'allowed'],
    ['the debtor’s CPF with formatting', full(CPF), '529.982.247-25', 'allowed'],
    ['another CPF', full(CPF), OTHER_CPF, 'wrong'],
    ['a CNPJ for a CPF', full(CPF), CNPJ, 'wrong'],
    ['a masked CPF', full(CPF), '***982247**', 'unknown'],
    ['a masked CPF whose visible digits are others', full(CPF), '***456789**', 'unknown'],
    ['a CPF with wrong check digits', full(CPF), '52998224720', 'unknown'],
    ['a CPF with zeros in front, as a CNPJ is long', full(CPF), `000${CPF}`, 'unknown'],
    ['an empty document', full(CPF), '', 'unknown'],
    ['no document', full(CPF), null, 'unknown'],
    ['no payer', full(CPF), undefined, 'unknown'],
    ['the debtor’s CNPJ', full(CNPJ), CNPJ, 'allowed'],
    ['the debtor’s CNPJ with formatting', full(CNPJ), '11.222.333/0001-81', 'allowed'],
    ['a branch, compared in whole', full(CNPJ), BRANCH, 'wrong'],
    ['a masked CNPJ', full(CNPJ), '***22333000100', 'unknown'],
    ['the debtor’s CNPJ by its root', root(CNPJ), CNPJ, 'allowed'],
    ['a branch by the root', root(CNPJ), BRANCH, 'allowed'],
    ['another company by the root', root(CNPJ), OTHER_CNPJ, 'wrong'],
    ['a person by the root', root(CNPJ), CPF, 'wrong'],
    ['a CPF that begins with the root', root('52998224000138'), CPF, 'wrong'],
    ['a masked CNPJ by the root', root(CNPJ), '***22333000100', 'unknown'],
    ['a CNPJ with letters', full(LETTERS), LETTERS, 'allowed'],
    ['a CNPJ with small letters', full(LETTERS), LETTERS.toLowerCase(), 'allowed'],
    ['a branch with letters by the root', root(LETTERS), LETTERS_BRANCH, 'allowed'],
    ['a branch with letters, compared in whole', full(LETTERS), LETTERS_BRANCH, 'wrong'],
    ['a person where only persons may pay', only('PERSON'), CPF, 'allowed'],
    ['a company where only persons may pay', only('PERSON'), LETTERS, 'wrong'],
    ['a company where only companies may pay', only('COMPANY'), LETTERS, 'allowed'],
    ['a person where only companies may pay', only('COMPANY'), CPF, 'wrong'],
    ['a masked document where only companies may pay', only('COMPANY'), '***22333000100', 'unknown'],
  ])('with %s', (_name, restriction, document, judgement) => {
    expect(judgePayer(restriction, document)).toBe(judgement)
  })
})

test.each<[string, PayerFields, string[]]>([
  ['nothing', {}, []],
  ['a debtor alone', { debtor: { document: CPF } }, []],
  ['verify_sender without a debtor', { verifySender: true }, ['verify_sender']],
  ['verify_sender false without a debtor', { verifySender: false }, []],
  ['verify_sender with a debtor', { verifySender: true, debtor: { document: CPF } }, []],
  ['verify_sender with an unreadable debtor', { verifySender: true, debtor: {}, match: 'ROOT' }, []],
  ['a kind alone', { kind: 'COMPANY' }, []],
  [
    'another kind than that of the debtor, who need not pay',
    { debtor: { document: CPF }, kind: 'COMPANY' },
    [],
  ],
  [
    'another kind than that of the only payer',
    { verifySender: true, debtor: { document: CPF }, kind: 'COMPANY' },
    ['payer_kind'],
  ],
  ['a match without verify_sender', { debtor: { document: CNPJ }, match: 'ROOT' }, ['match']],
  ['the root of a CPF', { verifySender: true, debtor: { document: CPF }, match: 'ROOT' }, ['match']],
  [
    'the root of a CNPJ',
    { verifySender: true, debtor: { document: CNPJ }, match: 'ROOT', kind: 'COMPANY' },
    [],
  ],
  ['a match without anything', { verifySender: true, match: 'FULL' }, ['verify_sender']],
])('the fields of a request: %s', (_name, fields, wrong) => {
  expect(findPayerFieldErrors(fields).map(({ field }) => field)).toEqual(wrong)
})

test('a restriction is only what was asked for', () => {
  const build = (isSenderVerified: boolean, kind: 'PERSON' | null, match: 'ROOT' | null) =>
    buildPayerRestriction({ isSenderVerified, debtorDocument: CNPJ, kind, match })
  expect(build(false, null, null)).toBeUndefined()
  expect(build(true, null, null)).toEqual({ document: CNPJ, match: 'FULL', kind: null })
  expect(build(true, null, 'ROOT')).toEqual({ document: CNPJ, match: 'ROOT', kind: null })
  expect(build(false, 'PERSON', null)).toEqual({ document: null, match: 'FULL', kind: 'PERSON' })
})

test('only a payer who is known to be wrong is returned to without an operator', () => {
  const dispositions = PAYER_REASONS.flatMap(reason =>
    (['return', 'review'] as const).map(policy => dispositionOfPayerReason(reason, policy)),
  )
  expect(dispositions).toEqual(['held', 'not_returned', 'not_returned', 'not_returned'])
  const statusOf = (reason: 'wrong_payer' | 'second_payment') =>
    returnStatusOf({ disposition: 'not_returned', hasFailed: false, reason })
  expect([statusOf('wrong_payer'), statusOf('second_payment')]).toEqual(['REVIEW', 'FAILED'])
})
