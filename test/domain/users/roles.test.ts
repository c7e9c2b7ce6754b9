import { describe, expect, test } from '@jest/globals'
import {
  ACCOUNT_PERMISSIONS,
  ACCOUNT_ROLES,
  listRolesWithPermission,
  roleHasPermission,
} from '../../../src/domain/users/roles.ts'

/** What each role may do, written out: a change of the table is a change of this one. */
const EXPECTED = {
  'money.read': ['owner', 'finance', 'developer', 'viewer'],
  'charges.write': ['owner', 'finance'],
  'transfers.write': ['owner', 'finance'],
  'refunds.write': ['owner', 'finance'],
  'disputes.write': ['owner', 'finance'],
  'keys.write': ['owner', 'finance'],
  'providers.write': ['owner', 'finance'],
  'tokens.read': ['owner', 'developer', 'viewer'],
  'tokens.write': ['owner', 'developer'],
  'webhooks.read': ['owner', 'developer', 'viewer'],
  'webhooks.write': ['owner', 'developer'],
  'events.read': ['owner', 'developer', 'viewer'],
  'users.write': ['owner'],
  'account.write': ['owner'],
}

describe('the roles of an account', () => {
  test('have the permissions of this table, and no other permission exists', () => {
    expect(Object.fromEntries(ACCOUNT_PERMISSIONS.map(one => [one, listRolesWithPermission(one)]))).toEqual(
      EXPECTED,
    )
  })

  test('a viewer changes nothing, and only an owner changes users', () => {
    const writes = ACCOUNT_PERMISSIONS.filter(one => one.endsWith('.write'))
    expect(writes.filter(permission => roleHasPermission('viewer', permission))).toEqual([])
    expect(ACCOUNT_ROLES.filter(role => roleHasPermission(role, 'users.write'))).toEqual(['owner'])
  })
})
