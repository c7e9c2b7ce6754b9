import { expect, test } from '@jest/globals'
import { PROVIDER_APIS } from '../../../src/domain/providers/provider.ts'
import { canCarryTransfer, findCarrierNeeds } from '../../../src/domain/transfers/transfer-candidates.ts'
import type { TransferDestination } from '../../../src/domain/transfers/transfer-destination.ts'
import { accountDestination, keyDestination } from '../../support/transfer-destinations.ts'

const listAble = (destination: TransferDestination) =>
  PROVIDER_APIS.filter(api => canCarryTransfer(api, findCarrierNeeds({ destination })))

test('a key is paid through every API, and one of a given document where its owner is checked', () => {
  expect(listAble(keyDestination('a@example.com'))).toEqual(['efi', 'woovi', 'sicoob', 'inter', 'stark'])
  expect(listAble(keyDestination('a@example.com', '52998224725'))).toEqual([
    'efi',
    'woovi',
    'sicoob',
    'stark',
  ])
})

test('an account is paid through the APIs that pay accounts of its type', () => {
  expect(listAble(accountDestination({ account_type: 'CHECKING' }))).toContain('efi')
  expect(listAble(accountDestination({ account_type: 'SALARY' }))).not.toContain('efi')
})
