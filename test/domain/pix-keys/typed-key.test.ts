import { expect, test } from '@jest/globals'
import { interpretTypedKey } from '../../../src/domain/pix-keys/key-format.ts'

test.each([
  ['529.982.247-25', 'DOCUMENT', '52998224725'],
  ['52998224725', 'DOCUMENT', '52998224725'],
  ['11.222.333/0001-81', 'DOCUMENT', '11222333000181'],
  ['(11) 98888-7777', 'PHONE', '+5511988887777'],
  ['11 98888-7777', 'PHONE', '+5511988887777'],
  ['+55 11 98888 7777', 'PHONE', '+5511988887777'],
  [' Maria@Example.com ', 'EMAIL', 'maria@example.com'],
  ['7B1F8A3E-1111-4222-8333-444455556666', 'RANDOM', '7b1f8a3e-1111-4222-8333-444455556666'],
])('%s is a key of type %s', (text, type, key) => {
  expect(interpretTypedKey(text)).toEqual({ key, type })
})

test.each([
  '',
  ' ',
  '123',
  'maria@',
  '(11) 3333-4444',
  '529.982.247-26',
  '52998224726',
  '11988887777',
  'x'.repeat(300),
])('%j is no key', text => {
  expect(interpretTypedKey(text)).toBeNull()
})
