import { expect, test } from '@jest/globals'
import {
  identifyReceiver,
  readDestination,
  toDestinationColumns,
} from '../../../src/domain/transfers/transfer-destination.ts'
import { accountDestination, keyDestination } from '../../support/transfer-destinations.ts'

test.each([
  ['a key', keyDestination('maria@example.com')],
  ['a key with the document of its owner', keyDestination('maria@example.com', '52998224725')],
  ['an account', accountDestination()],
])('%s is read back from its columns', (_, destination) => {
  expect(readDestination(toDestinationColumns(destination))).toEqual(destination)
})

test('columns without a destination are a bug', () => {
  expect(() => readDestination({})).toThrow('no destination')
})

test.each([
  ['its key', keyDestination('maria@example.com', '52998224725'), 'maria@example.com'],
  ['its bank, branch and number', accountDestination(), '18236120/1/1234567'],
  ['them without leading zeros', accountDestination({ account_number: '000123' }), '18236120/1/123'],
  ['them whatever the type', accountDestination({ account_type: 'SAVINGS' }), '18236120/1/1234567'],
  ['them whatever the holder', accountDestination({ document: '11144477735' }), '18236120/1/1234567'],
])('a receiver is identified by %s', (_, destination, id) => {
  expect(identifyReceiver(destination)).toBe(id)
})
