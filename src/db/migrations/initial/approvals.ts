import type { SchemaPart } from './schema-part.ts'

/** Orders that wait for persons who have not ordered them, and what these have said (src/domain/approvals/approval.ts). */
export const approvals: SchemaPart = {
  tables: `
create table approval_request (
  -- The transfer or the batch that waits.
  subject_uuid uuid primary key,
  subject text not null check (subject in ('transfer', 'batch')),
  account_uuid uuid not null references account,
  -- The person who ordered it: e-mail of a user, or name of an operator.
  maker varchar(254) not null check (maker <> '' and maker = lower(maker)),
  needed smallint not null check (needed in (1, 2)),
  requested_at timestamptz(3) not null,
  expires_at timestamptz not null,
  decision text check (decision in ('approved', 'rejected', 'expired', 'withdrawn')),
  decided_at timestamptz,
  constraint approval_request_decided check ((decision is null) = (decided_at is null)),
  constraint approval_request_wait check (expires_at > requested_at)
);
-- What waits, for the inbox of an account.
create index approval_request_waiting on approval_request (account_uuid, requested_at, subject_uuid) where decision is null;

create table approval (
  subject_uuid uuid not null references approval_request,
  verdict text not null check (verdict in ('approve', 'reject')),
  approver varchar(254) not null check (approver <> '' and approver = lower(approver)),
  -- Of a rejection.
  reason varchar(500) check (reason <> ''),
  at timestamptz(3) not null,
  -- The same person counts once, whatever it uses.
  constraint approval_once primary key (subject_uuid, verdict, approver),
  constraint approval_reason check (reason is null or verdict = 'reject')
);`,

  rules: `
-- The person of an order: of its user of the dashboard, or who made its token. A token that no person made is its own.
create function find_maker(token int, app_user uuid) returns text stable language sql as $$
  select coalesce((select email from app_user u where u.uuid = $2),
    (select coalesce(author, 'token ' || number) from token where number = $1))
$$;

-- Who has ordered it does not approve or reject it, and nothing is said about what does not wait. The lock orders parallel verdicts.
create function check_approval() returns trigger language plpgsql as $$
declare
  request approval_request;
begin
  select * into request from approval_request where subject_uuid = new.subject_uuid for no key update;
  if request.maker = new.approver then
    raise exception 'the maker of % cannot decide about it', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_not_by_maker', table = tg_table_name;
  end if;
  if request.decision is not null or request.expires_at <= new.at then
    raise exception '% waits for no approval', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_while_waiting', table = tg_table_name;
  end if;
  return new;
end $$;
create trigger approval_not_by_maker before insert on approval for each row execute function check_approval();
create trigger approval_immutable before update or delete or truncate on approval
  for each statement execute function refuse_change();

-- It is approved by as many persons as it needs, and rejected by one; a decision stays as it is.
create function check_approval_decision() returns trigger language plpgsql as $$
declare
  verdicts int := (select count(*) from approval where subject_uuid = new.subject_uuid
    and verdict = case new.decision when 'rejected' then 'reject' else 'approve' end);
begin
  if old.decision is not null
    or (new.subject, new.account_uuid, new.maker, new.needed, new.requested_at, new.expires_at)
      is distinct from (old.subject, old.account_uuid, old.maker, old.needed, old.requested_at, old.expires_at)
    or new.decision = 'approved' and verdicts < new.needed
    or new.decision = 'rejected' and verdicts < 1
  then
    raise exception 'the decision about % is not what was said', new.subject_uuid
      using errcode = 'check_violation', constraint = 'approval_request_decision', table = tg_table_name;
  end if;
  return new;
end $$;
create trigger approval_request_decision before update on approval_request for each row
  execute function check_approval_decision();
create trigger approval_request_undecided before insert on approval_request for each row
  when (new.decision is not null) execute function refuse();`,
}
