import { expect, test } from '@jest/globals'
import { nameBank } from '../../../src/domain/pix/bank-name.ts'

test.each([
  ['as its provider does', { name: 'Banco do Teste', ispb: '00000000' }, 'Banco do Teste'],
  ['by its ISPB', { name: '', ispb: '00000000' }, 'Banco do Brasil S.A.'],
  ['by the ISPB alone, where no list has it', { name: '', ispb: '0908935A' }, '0908935A'],
  ['by what the provider calls an ISPB', { name: '', ispb: 'x' }, 'x'],
  ['not, where nothing is known', { name: '', ispb: '' }, ''],
])('a bank is named %s', (_, bank, name) => {
  expect(nameBank({ code: '', ...bank })).toBe(name)
})
