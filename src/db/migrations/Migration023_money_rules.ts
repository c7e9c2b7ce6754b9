import { Migration } from '@mikro-orm/migrations'

/**
 * The rules about money that the code alone held. Each statement is a transaction of its own, and may be done again: no
 * table is locked against its writers while its old rows are held against a new rule.
 */
export class Migration023_money_rules extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    for (const [table, rules] of Object.entries(CHECKS))
      for (const [name, rule] of Object.entries(rules)) this.addSql(addCheckConstraint(table, { name, rule }))
    for (const [table, rules] of Object.entries(CHECKS))
      for (const name of Object.keys(rules)) this.addSql(`alter table ${table} validate constraint ${name}`)
    this.addSql(ONE_PIX_ONE_CHARGE)
    this.addSql(REFUSE)
    for (const life of Object.keys(REACHABLE_STATES) as (keyof typeof REACHABLE_STATES)[])
      this.addSql(createTransitionTrigger(life))
    for (const ordered of ['charge', 'refund', 'transfer']) this.addSql(createValueTrigger(ordered))
    for (const sql of [ATTEMPT_IMMUTABLE, MOVEMENT_IMMUTABLE, REFUNDS, REFUND_COUNTED, CHARGE_COUNTED])
      this.addSql(sql)
    this.addSql(SPLITS)
    this.addSql(MOVEMENT_HAS_POSTINGS)
  }
}

const addCheckConstraint = (table: string, { name, rule }: { name: string; rule: string }) =>
  `alter table ${table} drop constraint if exists ${name}, add constraint ${name} check (${rule}) not valid`

const CHECKS = {
  charge: {
    // Of an open amount nothing is known before it is paid, and then the fee comes out of it.
    charge_total: `case value_cents when 0 then total_cents = received_cents and fee_cents <= total_cents
      else total_cents = value_cents + fee_cents end`,
    // Another amount is not the charge’s: it is paid whole, by one PIX, or not at all.
    charge_settled: `received_cents in (0, total_cents)
      and (received_cents > 0) = (state in ('paid', 'refunding', 'partially_refunded', 'refunded'))`,
    charge_returns: `(refunding_cents > 0) = (state = 'refunding') and case state
      when 'partially_refunded' then refunded_cents > 0 and refunded_cents < received_cents
      when 'refunded' then refunded_cents = received_cents
      else state = 'refunding' or refunded_cents = 0 end`,
  },
  split: {
    split_credited: `credited_cents = 0 or status = 'CREDITED'`,
  },
  transfer: {
    transfer_held: 'held_cents in (0, value_cents + fee_cents)',
    transfer_gone: `state not in ('paid', 'partially_refunded', 'refunded')
      or (movement_uuid is not null and settled_at is not null)`,
  },
  movement: {
    movement_settled: `status <> 'SETTLED' or settled_at is not null`,
  },
}

const ONE_PIX_ONE_CHARGE = `
create unique index if not exists charge_one_pix on charge (movement_uuid) where movement_uuid is not null`

/** For triggers that say when: what breaks the rule of their name is refused as by a check. */
const REFUSE = `
create or replace function refuse() returns trigger language plpgsql as $$
begin
  raise exception 'a row of % would break %', tg_table_name, tg_name
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$`

/**
 * Where the tables of src/domain lead from each state, over any number of steps: one transaction may take several. It is
 * what it was when this was written; a test holds it against them.
 */
const REACHABLE_STATES = {
  charge: {
    issuing: 'pending paying paid refunding partially_refunded refunded failed expired cancelled',
    pending: 'paying paid refunding partially_refunded refunded expired cancelled',
    paying: 'pending paid refunding partially_refunded refunded expired cancelled',
    paid: 'refunding partially_refunded refunded',
    refunding: 'paid partially_refunded refunded',
    partially_refunded: 'paid refunding refunded',
    expired: 'pending paying paid refunding partially_refunded refunded cancelled',
    cancelled: 'pending paying paid refunding partially_refunded refunded expired',
  },
  transfer: {
    created: 'sending settling paid partially_refunded refunded failed cancelled expired',
    sending: 'created settling paid partially_refunded refunded failed cancelled expired',
    settling: 'paid partially_refunded refunded failed',
    paid: 'partially_refunded refunded',
    partially_refunded: 'refunded',
    failed: 'paid partially_refunded refunded',
    cancelled: 'paid partially_refunded refunded',
    expired: 'paid partially_refunded refunded',
  },
  refund: {
    sending: 'settling settled failed',
    settling: 'settled failed',
    failed: 'settled',
  },
  med: {
    open: 'analysing accepted resolved rejected cancelled',
    analysing: 'open accepted resolved rejected cancelled',
    accepted: 'resolved cancelled',
  },
}

const createTransitionTrigger = (life: keyof typeof REACHABLE_STATES) => `
create or replace function ${life}_leads(state text, next text) returns boolean immutable language sql as $$
  select next = any (string_to_array(case state
    ${Object.entries(REACHABLE_STATES[life])
      .map(([state, next]) => `when '${state}' then '${next}'`)
      .join(' ')}
  end, ' ')) is true
$$;
create or replace function ${life}_steps() returns trigger language plpgsql as $$
begin
  -- Not in the trigger's WHEN: that is read anew by every statement, and this once by every connection.
  if ${life}_leads(old.state, new.state) then return new; end if;
  raise exception 'a % that is % does not become %', tg_table_name, old.state, new.state
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create or replace trigger ${life}_steps before update of state on ${life} for each row
  when (old.state <> new.state) execute function ${life}_steps()`

const createValueTrigger = (ordered: string) => `
create or replace trigger ${ordered}_stays before update of value_cents on ${ordered} for each row
  when (old.value_cents <> new.value_cents) execute function refuse()`

/** A final word about a sending: after it no other may be sent (attempt_one_live). */
const ATTEMPT_IMMUTABLE = `
create or replace trigger attempt_stays before update of state on attempt for each row
  when (old.state in ('settled', 'duplicate') and new.state <> old.state) execute function refuse()`

/** What has moved. An end-to-end id may be learned late, and one that failed leaves it to what came after all. */
const MOVEMENT_IMMUTABLE = `
create or replace trigger movement_stays before update on movement for each row
  when (old.value_cents <> new.value_cents or old.type <> new.type or old.movement_type <> new.movement_type
    or old.account_uuid <> new.account_uuid or old.provider_account_uuid <> new.provider_account_uuid
    or (old.status = 'SETTLED' and (new.status <> 'SETTLED' or new.end_to_end is distinct from
      coalesce(old.end_to_end, new.end_to_end))))
  execute function refuse()`

/**
 * What a charge counts of refunds, there are. More may have settled than it counts: those that went after all, beyond what
 * was received. None is of more than that but what a provider has returned by a dispute.
 */
const REFUNDS = `
create or replace function charge_refunds(wanted uuid) returns void language plpgsql as $$
begin
  if exists (
    select from charge c, lateral (
      select coalesce(sum(value_cents) filter (where state in ('sending', 'settling')), 0) as running,
        coalesce(sum(value_cents) filter (where state = 'settled'), 0) as settled,
        max(value_cents) filter (where state <> 'failed' and med_uuid is null) as largest
      from refund where charge_uuid = c.uuid) r
    where c.uuid = wanted and (c.refunding_cents <> r.running or c.refunded_cents > r.settled or r.largest > c.received_cents)
  ) then
    raise exception 'charge % does not count its refunds', wanted
      using errcode = 'check_violation', constraint = 'charge_refunds';
  end if;
end $$;
create or replace function refund_is_counted() returns trigger language plpgsql as $$
begin perform charge_refunds(new.charge_uuid); return null; end $$;
create or replace function charge_counts() returns trigger language plpgsql as $$
begin perform charge_refunds(new.uuid); return null; end $$`

const REFUND_COUNTED = `
drop trigger if exists refund_counted on refund;
create constraint trigger refund_counted after insert or update of state on refund
  deferrable initially deferred for each row execute function refund_is_counted()`

const CHARGE_COUNTED = `
drop trigger if exists charge_counted on charge;
create constraint trigger charge_counted after update of refunding_cents, refunded_cents on charge
  deferrable initially deferred for each row
  when (old.refunding_cents <> new.refunding_cents or old.refunded_cents <> new.refunded_cents)
  execute function charge_counts()`

/** The shares of a charge never exceed what they divide, nor what was credited what came in. */
const SPLITS = `
create or replace function splits_fit() returns trigger language plpgsql as $$
begin
  if exists (
    select from charge c, lateral (
      select sum(amount) filter (where type = 'PERCENTAGE') as percent, sum(credited_cents) as credited,
        sum(case type when 'FIXED' then amount else c.value_cents * amount / 10000 end) as shares
      from split where charge_uuid = c.uuid) s
    where c.uuid = new.charge_uuid
      and (s.percent > 10000 or s.shares > c.value_cents or s.credited > c.received_cents - c.fee_cents)
  ) then
    raise exception 'the splits of charge % exceed it', new.charge_uuid
      using errcode = 'check_violation', constraint = 'split_shares';
  end if;
  return null;
end $$;
drop trigger if exists split_shares on split;
create constraint trigger split_shares after insert or update of type, amount, credited_cents on split
  deferrable initially deferred for each row execute function splits_fit()`

/** What settled has been booked. A hold may pass from one dispute to another with nothing moved. */
const MOVEMENT_HAS_POSTINGS = `
create or replace function movement_is_booked() returns trigger language plpgsql as $$
begin
  if not exists (select from posting where movement_uuid = new.uuid) then
    raise exception 'movement % has settled and is not booked', new.uuid
      using errcode = 'check_violation', constraint = 'movement_booked';
  end if;
  return null;
end $$;
drop trigger if exists movement_booked on movement;
create constraint trigger movement_booked after insert or update of status on movement
  deferrable initially deferred for each row when (new.status = 'SETTLED' and new.type <> 'HOLD')
  execute function movement_is_booked()`
