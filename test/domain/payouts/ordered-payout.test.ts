import { expect, test } from '@jest/globals'
import { findOrderDifference } from '../../../src/domain/payouts/ordered-payout.ts'
import type { Party } from '../../../src/domain/pix/party.ts'
import { accountDestination, BANK_ACCOUNT, keyDestination } from '../../support/transfer-destinations.ts'

const receiver = (document: string) => ({ name: 'Maria', document }) as Party
const key = keyDestination('maria@exemplo.com.br')
const ownKey = keyDestination('maria@exemplo.com.br', '52998224725')
const account = accountDestination()
const atBank = (ispb: string) => ({ ...BANK_ACCOUNT, bank: { ...BANK_ACCOUNT.bank, ispb } })

test.each([
  ['the value', undefined, { cents: 500 }, null],
  ['another value', undefined, { cents: 501 }, 'value_differs'],
  ['the key', key, { pixKey: 'maria@exemplo.com.br' }, null],
  ['the key in other case', key, { pixKey: 'Maria@exemplo.com.br' }, null],
  ['another key', key, { pixKey: 'mario@exemplo.com.br' }, 'receiver_differs'],
  ['no key', key, { pixKey: null }, null],
  ['a masked key', keyDestination('52998224725'), { pixKey: '***.982.247-**' }, null],
  [
    'a key of another type',
    keyDestination('52998224725'),
    { pixKey: 'm@exemplo.com.br' },
    'receiver_differs',
  ],
  ['a phone without its country', keyDestination('+5552998224725'), { pixKey: '52998224725' }, null],
  ['the document', ownKey, { receiver: receiver('52998224725') }, null],
  ['a masked document', ownKey, { receiver: receiver('***982247**') }, null],
  ['another document', ownKey, { receiver: receiver('11144477735') }, 'receiver_differs'],
  ['a document that was not ordered', key, { receiver: receiver('11144477735') }, null],
  ['the account', account, { receiver: BANK_ACCOUNT }, null],
  ['nothing of the account', account, { receiver: null }, null],
  ['no bank of the account', account, { receiver: atBank('') }, null],
  ['another bank of the account', account, { receiver: atBank('00000000') }, 'receiver_differs'],
  [
    'another holder of the account',
    account,
    { receiver: { ...BANK_ACCOUNT, document: '11144477735' } },
    'receiver_differs',
  ],
  ['a key beside the account', account, { pixKey: 'maria@exemplo.com.br' }, null],
] as const)('a provider that reports %s', (_, destination, payout, difference) => {
  const ordered = { cents: 500, ...(destination && { destination }) }
  expect(findOrderDifference(ordered, { cents: 500, ...payout })).toBe(difference)
})
