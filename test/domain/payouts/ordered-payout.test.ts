import { expect, test } from '@jest/globals'
import { findOrderDifference } from '../../../src/domain/payouts/ordered-payout.ts'
import type { Party } from '../../../src/domain/pix/party.ts'

const receiver = (document: string) => ({ name: 'Maria', document }) as Party

test.each([
  ['the value', { cents: 500 }, { cents: 500 }, null],
  ['another value', { cents: 500 }, { cents: 501 }, 'value_differs'],
  ['the key', { pixKey: 'maria@exemplo.com.br' }, { pixKey: 'maria@exemplo.com.br' }, null],
  ['the key in other case', { pixKey: 'maria@exemplo.com.br' }, { pixKey: 'Maria@exemplo.com.br' }, null],
  ['another key', { pixKey: 'maria@exemplo.com.br' }, { pixKey: 'mario@exemplo.com.br' }, 'receiver_differs'],
  ['no key', { pixKey: 'maria@exemplo.com.br' }, { pixKey: null }, null],
  ['a masked key', { pixKey: '52998224725' }, { pixKey: '***.982.247-**' }, null],
  ['a key of another type', { pixKey: '52998224725' }, { pixKey: 'm@exemplo.com.br' }, 'receiver_differs'],
  ['a phone without its country', { pixKey: '+5552998224725' }, { pixKey: '52998224725' }, null],
  ['the document', { document: '52998224725' }, { receiver: receiver('52998224725') }, null],
  ['a masked document', { document: '52998224725' }, { receiver: receiver('***982247**') }, null],
  [
    'another document',
    { document: '52998224725' },
    { receiver: receiver('11144477735') },
    'receiver_differs',
  ],
  ['a document that was not ordered', {}, { receiver: receiver('11144477735') }, null],
])('a provider that reports %s', (_, ordered, payout, difference) => {
  expect(findOrderDifference({ cents: 500, ...ordered }, { cents: 500, ...payout })).toBe(difference)
})
