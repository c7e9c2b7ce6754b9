import { ACCESSES } from '@trilho/sdk/operations'
import type { ICredentialType, INodeProperties } from 'n8n-workflow'

/** The account that a node calls, and what it may change there. */
export class TrilhoApi implements ICredentialType {
  name = 'trilhoApi'
  displayName = 'Trilho API'
  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      placeholder: 'https://pix.example.com',
      required: true,
    },
    {
      displayName: 'Access Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
    {
      displayName: 'Allow',
      name: 'allow',
      type: 'multiOptions',
      options: ACCESSES.filter(access => access !== 'read').map(access => ({ name: access, value: access })),
      default: [],
      description:
        'What nodes may change with this credential; without any they only read. Refunds and transfers move money. The scopes of the token decide too.',
    },
  ]
}
