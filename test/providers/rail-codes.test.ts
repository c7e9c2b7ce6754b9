import { expect, test } from '@jest/globals'
import { finalityOf, RAIL_CODES } from '../../src/domain/pix/rail-codes.ts'

/** Every code that pacs.002 XSD 1.17 allows. */
const allowed =
  'AB03 AB09 AB11 AC03 AC06 AC07 AC14 AG03 AG12 AG13 AGNT AM01 AM02 AM04 AM09 AM12 AM18 AM23 BE01 BE05 BE15 BE17 ' +
  'CH11 CH16 CN01 DS02 DS04 DS0G DS27 DT02 DT05 DU03 DUPL ED05 FF07 FF08 FRAD INDT MD01 RC09 RC10 RR04 RR06 SL02 UPAY'
const otherMayHelp = 'AB03 AB11 AG12 AGNT AM04 AM12 AM18 AM23 BE05 CH16 DS0G DS27 DT02 ED05 FF07 FF08 RC09'
const returnOnly = 'AG13 AM09 DT05 SL02'

test('the table has every code of the rail, and no other', () => {
  expect(Object.keys(RAIL_CODES).sort()).toEqual(allowed.split(' ').sort())
})

test.each(allowed.split(' '))('%s', code => {
  const helps = otherMayHelp.split(' ').includes(code)
  const fallback = helps ? 'other_may_help' : returnOnly.split(' ').includes(code) ? 'return_only' : 'final'
  expect(RAIL_CODES[code]).toEqual({ meaning: expect.stringMatching(/./), fallback })
  expect(finalityOf(code)).toBe(helps ? 'other_may_help' : 'final')
})

test.each(['XX99', '', 'ac03', 'constructor'])('%p, which is not a rail code, is final', code => {
  expect(finalityOf(code)).toBe('final')
})
