import { cancelTransfer } from '../../api/transfers/cancel.ts'
import { listTransfers, transferOf } from '../../api/transfers/find.ts'
import { transfer as life, TRANSFER_STATUSES } from '../../domain/transfer.ts'
import { showTransfer, transfersQuery } from '../../wire/transfer.ts'
import type { Door, Visit } from '../door.ts'
import { elsewhere, page } from '../page.ts'
import { idOf } from './charges.ts'
import { connectionsOf } from './connections.ts'
import { listed } from './listing.ts'
import { modeOf, ofOneMode } from './mode.ts'

const PATH = '/dashboard/transfers'

export function transferPages({ get, post, house }: Door): void {
  get('merchant', PATH, async visit => {
    const { token, modes } = await ofOneMode(visit)
    const { data, meta, wrong } = await listed(visit, transfersQuery, query =>
      listTransfers(visit.em, token, query),
    )
    const connections = await connectionsOf(visit.em, token)
    const moves = data.some(({ status }) => status === 'PROCESSING' || status === 'PENDING')
    return page('transfers', {
      rows: data,
      meta,
      wrong,
      connections,
      statuses: TRANSFER_STATUSES.filter(status => status !== 'UNDEFINED'),
      moves,
      mode: token.mode,
      modes,
    })
  })

  get('merchant', `${PATH}/:uuid`, transfer)

  post('merchant', `${PATH}/:uuid/cancel`, {
    async act({ em, token, params }) {
      const { uuid } = await cancelTransfer(house.engine, { em, token, uuid: idOf(params.uuid) })
      return elsewhere(`${PATH}/${uuid}`, 'transfer_cancelled')
    },
    again: transfer,
  })
}

/** A transfer with every attempt, and why the next provider was or was not tried. */
async function transfer({ em, token, params }: Visit<'merchant'>) {
  const row = await transferOf(em, token, idOf(params.uuid))
  return page(
    'transfer',
    {
      transfer: showTransfer(row, row.attempts),
      mode: await modeOf(em, row.connection.uuid),
      attempts: row.attempts.map(({ attempt, provider }) => ({
        provider,
        outcome: attempt.state,
        finality: attempt.finality,
        code: attempt.code,
        providerCode: attempt.providerCode,
        // Its own word: what is known of one that was not reached names its host, which is for operators.
        message: attempt.state === 'rejected' ? attempt.message : null,
        createdAt: attempt.createdAt,
        updatedAt: attempt.updatedAt,
      })),
      isWaiting: row.state === 'created' && row.scheduledFor != null,
      moves: !life.isOver(row.state),
    },
    `${PATH}/${row.uuid}`,
  )
}
