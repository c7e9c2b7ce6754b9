import { randomUUID } from 'node:crypto'
import { addUser } from '../../../src/admin/users.ts'
import { NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import { formatTimestamp } from '../../../src/domain/shared/timestamp.ts'
import type { ApiFixture } from './api-fixture.ts'
import { insertRecurrence } from './recurrences.ts'
import { bookingSql } from './row-inserters.ts'

export const PASSWORD = 'a long enough password'

/** Names that a merchant or a payer may choose to attack a page that does not escape them. */
export const MALICIOUS_TEXT = `"'><script>alert(1)</script><img src=x onerror=alert(1)>\${1}<%= 1 %>{{1}}`

/** An account with one operation of every type, all of whose texts are hostile, and a user who can sign in. */
export async function createFullAccount(world: ApiFixture) {
  const sql = (statement: string, values: unknown[] = []) => world.orm.em.execute(statement, values)
  const account = await world.insertAccount()
  await sql('update account set name = ? where uuid = ?', [MALICIOUS_TEXT, account])
  const connection = await world.insertConnection(account)
  const [{ provider_account_uuid: providerAccount }] = (await sql(
    'select provider_account_uuid from connection where uuid = ?',
    [connection],
  )) as [{ provider_account_uuid: string }]
  await world.replaceDefaultProviders(account, [connection])
  await sql(
    `insert into lookup_budget (provider_account_uuid, capacity, tokens_left, refill_per_minute, at, read_at)
     values (?, 1000, 10, 20, now(), now())`,
    [providerAccount],
  )
  const limits = { ...NO_LIMITS, perDayCents: 100_000, trustedReceivers: [{ pixKey: MALICIOUS_TEXT }] }
  await sql(
    `insert into account_limits (account_uuid, limits, pending, pending_from, version)
     values (?, ?::jsonb, ?::jsonb, now() + interval '3 hours', 2)`,
    [account, JSON.stringify(limits), JSON.stringify({ ...limits, perDayCents: 200_000 })],
  )
  const recipient = await world.insertAccount()
  await sql('update account set name = ? where uuid = ?', [MALICIOUS_TEXT, recipient])
  const party = JSON.stringify({
    ...PARTY,
    name: MALICIOUS_TEXT,
    bank: { code: '', name: MALICIOUS_TEXT, ispb: '' },
  })
  const [movement, charge, open, transfer, waiting] = Array.from({ length: 5 }, () => randomUUID())
  const now = new Date()
  const history = (...statuses: string[]) =>
    JSON.stringify(statuses.map(status => ({ status, created_at: formatTimestamp(now) })))

  for (const [uuid, state, shown] of [
    [charge, 'pending', ['PENDING', 'PROCESSING', 'PAID']],
    [open, 'pending', ['PENDING']],
  ] as const)
    await sql(
      `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
         external_ref, beneficiary_name, beneficiary_document, payment_uuid, payload, txid, receiver, expires_in_seconds,
         expires_at, history, request_id, fingerprint, created_at, updated_at)
       values (?, ?, ?, ?, ?, 123456, 123456, ?, ?, '52998224725', ?, ?, ?, ?, 3600, ?, ?, 'r', 'f', ?, ?)`,
      [
        ...[
          uuid,
          account,
          connection,
          providerAccount,
          state,
          MALICIOUS_TEXT,
          MALICIOUS_TEXT,
          randomUUID(),
          MALICIOUS_TEXT,
          MALICIOUS_TEXT.slice(0, 35),
        ],
        ...[party, now, history(...shown), now, now],
      ],
    )
  await sql(
    `insert into split (uuid, charge_uuid, position, type, amount, recipient_account_uuid)
     values (?, ?, 0, 'PERCENTAGE', 1050, ?)`,
    [randomUUID(), charge, recipient],
  )
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, end_to_end, sender, charge_uuid, settled_at, created_at, updated_at)
       values (?, ?, ?, ?, 'EXTERNAL_TRANSFER', 'IN', 123456, 'SETTLED', ?, ?, ?, ?, ?, ?) returning *
     ) ${bookingSql()}`,
    [
      movement,
      account,
      providerAccount,
      connection,
      MALICIOUS_TEXT.slice(0, 32),
      party,
      charge,
      now,
      now,
      now,
    ],
  )
  await sql(
    `update charge set state = 'paid', movement_uuid = ?, paid_at = ?, received_cents = 123456, end_to_end = ?
     where uuid = ?`,
    [movement, now, MALICIOUS_TEXT.slice(0, 32), charge],
  )
  for (const [uuid, state, scheduledFor] of [
    [transfer, 'failed', null],
    [waiting, 'created', new Date(Date.now() + 86_400_000)],
  ] as const)
    await sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
         external_ref, beneficiary_name, beneficiary_document, receiver, failure, history, request_id, fingerprint,
         scheduled_for, created_at, updated_at)
       values (?, ?, ?, ?, ?, 2590, ?, ?, ?, '52998224725', ?, ?, ?, 'r', 'f', ?, ?, ?)`,
      [
        ...[
          uuid,
          account,
          connection,
          providerAccount,
          state,
          MALICIOUS_TEXT.slice(0, 77),
          MALICIOUS_TEXT,
          MALICIOUS_TEXT,
          party,
        ],
        state === 'failed' ? JSON.stringify({ code: MALICIOUS_TEXT, message: MALICIOUS_TEXT }) : null,
        ...[history('PENDING'), scheduledFor, now, now],
      ],
    )
  const batch = randomUUID()
  await sql(
    `with ordered as (
       insert into transfer_batch (uuid, account_uuid, is_simulated, candidates, state, name, mode, on_short_balance, item_count,
         value_cents, wait_reason, history, request_id, fingerprint, created_at, updated_at)
       values (?, ?, true, array[?]::uuid[], 'processing', ?, 'EACH', 'FAIL', 2, 5180, 'unfinished_items', ?, 'r', 'f', ?, ?) returning uuid
     ) insert into transfer_batch_item (batch_uuid, line, transfer_uuid, state, value_cents, external_ref, description, details)
     select o.uuid, i.line, i.transfer::uuid, i.state, 2590, ? || i.line, ?, ?::jsonb
     from ordered o, (values (1, ?, 'started'), (2, ?, 'pending')) as i (line, transfer, state)`,
    [
      ...[batch, account, connection, MALICIOUS_TEXT.slice(0, 140), history('PROCESSING'), now, now],
      ...[
        MALICIOUS_TEXT,
        MALICIOUS_TEXT.slice(0, 140),
        JSON.stringify({ destination: { kind: 'key', pixKey: MALICIOUS_TEXT, document: null } }),
      ],
      ...[transfer, randomUUID()],
    ],
  )
  await sql('update transfer set batch_uuid = ? where uuid = ?', [batch, transfer])
  await sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
       state, finality, code, message, refused_by, provider_message, created_at, updated_at)
     values (?, 'transfer', ?, ?, ?, 0, 'rejected', 'final', ?, ?, 'provider', ?, ?, ?)`,
    [
      ...[randomUUID(), transfer, connection, providerAccount],
      ...[MALICIOUS_TEXT, MALICIOUS_TEXT, MALICIOUS_TEXT, now, now],
    ],
  )
  const held = randomUUID()
  await sql(
    `insert into approval_request (subject_uuid, subject, account_uuid, maker, needed, requested_at, expires_at)
     values (?, 'transfer', ?, ?, 2, now(), now() + interval '1 day')`,
    [held, account, MALICIOUS_TEXT.toLowerCase()],
  )
  await sql(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
       scheduled_for, approvals_needed, history, request_id, fingerprint, created_at, updated_at)
     values (?, ?, ?, ?, 'held', 2590, ?, now() + interval '1 day', 2, ?, 'r', 'f', ?, ?)`,
    [held, account, connection, providerAccount, MALICIOUS_TEXT.slice(0, 77), history('PENDING'), now, now],
  )
  // And what an operator reads.
  const [unknown, unknownAttempt, unmatched] = [randomUUID(), randomUUID(), randomUUID()]
  await sql(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, held_cents,
       pix_key, request_id, fingerprint, created_at, updated_at)
     values (?, ?, ?, ?, 'sending', 777, 777, ?, 'r', 'f', ?, now() - interval '1 hour')`,
    [unknown, account, connection, providerAccount, MALICIOUS_TEXT.slice(0, 77), now],
  )
  await sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
       state, code, message, unknown_since, next_check_at, created_at, updated_at)
     values (?, 'transfer', ?, ?, ?, 0, 'unknown', ?, ?, now() - interval '3 hours', now(), ?, ?)`,
    [unknownAttempt, unknown, connection, providerAccount, MALICIOUS_TEXT, MALICIOUS_TEXT, now, now],
  )
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, end_to_end, sender, reason, disposition, settled_at, created_at, updated_at)
       values (?, ?, ?, ?, 'EXTERNAL_TRANSFER', 'IN', 4242, 'SETTLED', ?, ?, 'second_payment', 'not_returned', ?, ?, ?)
       returning *
     ) ${bookingSql('pending')}`,
    [
      unmatched,
      account,
      providerAccount,
      connection,
      `2${MALICIOUS_TEXT.slice(0, 31)}`,
      party,
      now,
      now,
      now,
    ],
  )
  await sql(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, end_to_end, receiver, reason, transfer_uuid, settled_at, created_at, updated_at)
       values (gen_random_uuid(), ?, ?, ?, 'EXTERNAL_TRANSFER', 'OUT', 2590, 'SETTLED', ?, ?, 'duplicate_settlement', ?, ?,
         ?, ?)
       returning *
     ) ${bookingSql('pending')}`,
    [account, providerAccount, connection, `3${MALICIOUS_TEXT.slice(0, 31)}`, party, transfer, now, now, now],
  )
  const difference = randomUUID()
  await sql(
    `insert into difference (uuid, provider_account_uuid, kind, movement_type, end_to_end, detail, found_at, seen_at)
     values (?, ?, 'missing_there', 'IN', ?, ?, ?, ?)`,
    [
      difference,
      providerAccount,
      MALICIOUS_TEXT.slice(0, 32),
      JSON.stringify({ note: MALICIOUS_TEXT }),
      now,
      now,
    ],
  )
  await sql(
    `insert into operator_action (uuid, actor, action, subject, reason) values (?, ?, 'settle', ?, ?)`,
    [randomUUID(), MALICIOUS_TEXT, MALICIOUS_TEXT, MALICIOUS_TEXT],
  )
  const dispute = randomUUID()
  await sql(
    `insert into dispute (uuid, account_uuid, connection_uuid, provider_account_uuid, provider_dispute_id, kind, dispute_type, state,
       end_to_end, movement_uuid, charge_uuid, value_cents, opened_at, due_at, details, provider_analysis, history,
       request_id, created_at, updated_at)
     values (?, ?, ?, ?, ?, 'RECEIVED_MED', 'SCAM', 'open', ?, ?, ?, 1000, ?, now() + interval '5 days', ?, ?, ?, 'r', ?, ?)`,
    [
      ...[
        dispute,
        account,
        connection,
        providerAccount,
        dispute,
        MALICIOUS_TEXT.slice(0, 32),
        movement,
        charge,
      ],
      ...[now, MALICIOUS_TEXT, MALICIOUS_TEXT, history('PENDING'), now, now],
    ],
  )
  const [webhook, event, delivery] = [randomUUID(), randomUUID(), randomUUID()]
  await sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, ?, 's', ?, '{PAYMENT}', 'f', ?)`,
    [webhook, account, `https://shop.example/${MALICIOUS_TEXT}`, MALICIOUS_TEXT, now],
  )
  await sql(
    `insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
     values (?, ?, ?, 'PAYMENT', ?, 1, ?, ?, 'r', ?)`,
    [
      event,
      account,
      connection,
      charge,
      JSON.stringify({ uuid: charge, status: 'PAID', external_ref: MALICIOUS_TEXT }),
      charge,
      now,
    ],
  )
  await sql(
    `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, attempt_count, created_at, updated_at)
     values (?, ?, ?, 'PAYMENT', 'FAILED', 1, ?, ?)`,
    [delivery, webhook, event, now, now],
  )
  await sql(
    `insert into delivery_attempt (delivery_uuid, number, status_code, duration_ms, answer, at) values (?, 1, 500, 12, ?, ?)`,
    [delivery, MALICIOUS_TEXT, now],
  )
  const [refund, pixKey] = [randomUUID(), randomUUID()]
  await sql(
    `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       movement_uuid, end_to_end, failure, request_id, fingerprint, created_at, updated_at)
     select ?, ?, account_uuid, uuid, provider_account_uuid, 'failed', 100, ?, ?, ?, 'r', 'f', ?, ? from connection where uuid = ?`,
    [
      ...[refund, charge, movement, MALICIOUS_TEXT.slice(0, 32)],
      ...[JSON.stringify({ code: MALICIOUS_TEXT, message: MALICIOUS_TEXT }), now, now, connection],
    ],
  )
  await sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', ?, 'active', 'r', 'f', ?, ?
     from connection where uuid = ?`,
    [pixKey, `${MALICIOUS_TEXT.slice(0, 30)}${pixKey}`, now, now, connection],
  )
  const report = randomUUID()
  await sql(
    `insert into report (uuid, account_uuid, is_simulated, connection_uuid, kind, format, decimal_mark, date_from, date_to, state,
       file_key, sealed_file, line_count, size_bytes, sha256, is_partial, built_at, expires_at, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, is_simulated, uuid, 'LEDGER', 'CSV', 'POINT', '2026-10-01', '2026-10-31', 'ready', 'reports/none/none', ?,
       1, 1, repeat('0', 64), true, ?, ?, 'r', 'f', ?, ? from connection where uuid = ?`,
    [report, MALICIOUS_TEXT, now, now, now, now, connection],
  )
  const qrCode = randomUUID()
  await sql(
    `insert into qr_code (uuid, account_uuid, connection_uuid, provider_account_uuid, status, pix_key, txid, payload,
       description, external_ref, received_count, received_cents, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'ACTIVE', ?, ?, ?, ?, ?, 1, 1234, 'r', 'f', ?, ?
     from connection where uuid = ?`,
    [
      ...[
        qrCode,
        `${MALICIOUS_TEXT.slice(0, 30)}${qrCode}`,
        qrCode.replaceAll('-', '').slice(0, 25),
        MALICIOUS_TEXT,
      ],
      ...[MALICIOUS_TEXT.slice(0, 72), MALICIOUS_TEXT.slice(0, 255), now, now, connection],
    ],
  )
  for (const [operation, subject] of [
    ['refund', refund],
    ['issue', open],
    ['create_key', pixKey],
  ])
    await sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
         state, finality, code, message, created_at, updated_at)
       values (?, ?, ?, ?, ?, 0, 'rejected', 'final', ?, ?, ?, ?)`,
      [
        randomUUID(),
        operation,
        subject,
        connection,
        providerAccount,
        MALICIOUS_TEXT,
        MALICIOUS_TEXT,
        now,
        now,
      ],
    )
  await sql(
    `insert into operator_action (uuid, actor, action, subject, reason) values (?, ?, 'return_unmatched', ?, ?)`,
    [randomUUID(), MALICIOUS_TEXT, `return/${unmatched}`, MALICIOUS_TEXT],
  )
  const recurrence = await insertRecurrence({ sql, account, connection })
  await world.insertToken({ accountUuid: account })
  const [{ uuid: token }] = (await sql('select uuid from token where account_uuid = ?', [account])) as [
    { uuid: string },
  ]
  const email = `${randomUUID()}@trilho.test`
  const order = { email, password: PASSWORD, accountUuid: account, name: MALICIOUS_TEXT }
  const { uuid: user } = await addUser(world.orm.em.fork(), order)
  const invitation = randomUUID()
  await sql(
    `insert into user_invitation (uuid, account_uuid, email, role, token_hash, invited_by, created_at, expires_at)
     values (?, ?, ?, 'viewer', sha256(convert_to(?, 'UTF8')), ?, now(), now() + interval '7 days')`,
    [invitation, account, `invited-${email}`, invitation, user],
  )
  return {
    account,
    connection,
    providerAccount,
    charge: charge!,
    open: open!,
    transfer: transfer!,
    waiting: waiting!,
    held,
    batch,
    report,
    unknown,
    unknownAttempt,
    unmatched,
    dispute,
    difference,
    refund,
    pixKey,
    qrCode,
    recurrence,
    webhook,
    event,
    delivery,
    token,
    user,
    invitation,
    email,
    sql,
  }
}

const PARTY = { document: '52998224725', account_number: '1', account_agency: '1', account_type: 'PAYMENT' }
