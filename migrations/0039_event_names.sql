-- incompatible: events that are not in the contract get a prefix; stop older workers and servers before this runs

-- A client that knows only the events of the contract must not subscribe to others by accident.
create temporary table new_event_names on commit drop as
select old, 'shelfwire.' || old as new
  from unnest(array['sync.failed', 'render.failed', 'render.held', 'delivery.failed']) as old;

update webhook_endpoints p
   set events = (select array_agg(coalesce(n.new, e.type) order by e.position)
                   from unnest(p.events) with ordinality as e (type, position)
                   left join new_event_names n on n.old = e.type)
 where p.events && (select array_agg(old) from new_event_names);

-- The name is in the payload, too, and so is the name of an event that could not be delivered. JSON escapes quotes inside
-- texts, so "event":"…" is always a key and its value.
update webhook_events e
   set type = 'shelfwire.' || e.type,
       payload = replace(replace(replace(replace(e.payload,
         '"event":"sync.failed"', '"event":"shelfwire.sync.failed"'),
         '"event":"render.failed"', '"event":"shelfwire.render.failed"'),
         '"event":"render.held"', '"event":"shelfwire.render.held"'),
         '"event":"delivery.failed"', '"event":"shelfwire.delivery.failed"')
 where e.type in (select old from new_event_names);
