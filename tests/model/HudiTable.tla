----------------------------- MODULE HudiTable ------------------------------
(* The state of a table and of the processes that write to it. *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
  Writers,        \* processes that upsert or overwrite
  Clusterers,     \* processes that run `cluster` again and again
  Executors,      \* those of them that may also `execute` a plan of another
  Cancellers,     \* processes that `cancel --force`
  Keys,           \* record keys: each has a file group of its own at first
  Writes,         \* how many writes each writer tries
  Attempts,       \* how many clusterings each clusterer tries, or cancels
  Crashes, Cleans, Reads,  \* how many of these there may be in all
  WritersLock,    \* whether writers lock the table (optimistic concurrency control)
  ClusterersLock, \* whether clusterers do
  LooksUnderLock, \* whether these look there for who takes a plan away: by WritersFirst
  UpdatesAllowed, \* SparkAllowUpdateStrategy: writers may go on in spite of a plan
  Overwrites,     \* whether a write may be an insert_overwrite
  BeginsAtOnce,   \* whether nobody can come between a look at a heartbeat and the first beat
  OnlyAtRest,     \* whether invariants are asked of while a clustering may yet be taken back
  Mutation        \* the fault that is seeded; "none" of them is the protocol itself

Processes == Writers \union Clusterers \union Cancellers
Nobody == "nobody"
Dead == "dead"    \* who was killed while it held the lock

VARIABLES
  timeline, \* instants by the order of their requested times; the first is the load
  files,    \* base files on storage, [group, instant, rows]; whether seen, the timeline says
  index,    \* the metadata table's entries, [group, instant, keys, at]: files and record index
  step,     \* what each process is about to do
  doing,    \* the instant that each process is at, 0 if none
  left,     \* how often each process tries yet
  lock,     \* who holds the table's lock
  truth,    \* the value of each key by the writes that were acknowledged, in their order
  reader,   \* a query: the timeline that it has read, and what was true then
  reported, \* whether a clusterer has ended with HiddenRowsException
  budget    \* how many crashes, cleanings and reads there may yet be

vars == <<timeline, files, index, step, doing, left, lock, truth, reader, reported, budget>>

-----------------------------------------------------------------------------
(* The table, as its files and its timeline tell it.                       *)

Instants == DOMAIN timeline
Is(i, state) == timeline[i].state = state
IsPending(i) == timeline[i].state \in {"requested", "inflight"}
Completed == {i \in Instants : Is(i, "completed")}
IsClustering(i) == timeline[i].action = "clustering"
PendingPlans == {i \in Instants : IsPending(i) /\ IsClustering(i)}
PendingWrites == {i \in Instants : IsPending(i) /\ ~IsClustering(i)}

Replaced == UNION {timeline[i].replaces : i \in Completed}

\* The latest committed slice of each file group that no commit has replaced: what a query reads.
LatestOf(some, completed, replaced) ==
  LET committed == {f \in some : f.instant \in completed /\ f.group \notin replaced}
  IN {f \in committed :
        \A other \in committed : other.group = f.group => other.instant <= f.instant}
Latest == LatestOf(files, Completed, Replaced)

GroupsOf(slices) == {f.group : f \in slices}
Holding(slices, key) == {f \in slices : f.rows[key] /= 0}
None == [k \in Keys |-> 0]
KeysOf(rows) == {k \in Keys : rows[k] /= 0}

\* Rows of slices in one file.
Merged(slices) ==
  [k \in Keys |-> IF Holding(slices, k) = {} THEN 0
                  ELSE (CHOOSE f \in Holding(slices, k) : TRUE).rows[k]]

\* Where the record index says that a key is; a set, that is empty if it does not know.
Location(key) ==
  LET known == {e \in index : e.instant \in Completed /\ key \in e.keys}
  IN {e.group : e \in {e \in known : \A other \in known : other.at <= e.at}}

IsUnderWay(i) == \E p \in Processes \ Cancellers : doing[p] = i
\* A process shows a heartbeat from its first step of an execution on.
Beats(i) == \E p \in Processes \ Cancellers : doing[p] = i /\ step[p] \notin {"begin", "go inflight", "beat"}

-----------------------------------------------------------------------------
(* Small changes that the steps below are made of.                         *)

Set(i, field, value) == [timeline EXCEPT ![i][field] = value]
Goto(p, next) == step' = [step EXCEPT ![p] = next]
Ends(p) == /\ step' = [step EXCEPT ![p] = "idle"]
           /\ doing' = [doing EXCEPT ![p] = 0]
           /\ left' = [left EXCEPT ![p] = @ - 1]

Locks(p) == IF p \in Writers THEN WritersLock ELSE ClusterersLock
\* The lock of a killed process is broken by the next one: TableLock.
CanLock(p) == Locks(p) => \/ lock = Nobody
                          \/ lock = Dead /\ Mutation /= "a dead process keeps its lock"
Locked(p) == lock' = IF Locks(p) THEN p ELSE lock
Unlocked(p) == lock' = IF lock = p THEN Nobody ELSE lock

\* action, state and replaces as Hudi has them; by, who made it; slices, what it builds on; key, the
\* one it writes; named, the file groups that its inflight instant says it changes; since, what was
\* completed since it appeared; before, the writes that had appeared before it; rolledBack, whether a
\* rollback of it has begun; ended, by whom.
NewInstant(p, action, state, slices) ==
  [action |-> action, state |-> state, by |-> p, slices |-> slices, key |-> 0, named |-> {},
   replaces |-> {}, since |-> {}, before |-> {}, executor |-> Nobody, rolledBack |-> FALSE, ended |-> ""]
Gone(by) == [NewInstant(Nobody, "none", "gone", {}) EXCEPT !.ended = by]

\* An instant is completed, and whoever looks for that from now on sees it; a clustering has an author
\* until somebody has looked after its commit.
IsWatched(i) == \/ IsPending(i) \/ Is(i, "unborn") \/ IsUnderWay(i)
                \/ IsClustering(i) /\ timeline[i].by /= Nobody
WithCompleted(i, replaces) ==
  [j \in Instants |->
     IF j = i THEN [timeline[i] EXCEPT !.state = "completed", !.replaces = replaces]
     ELSE IF IsWatched(j) THEN [timeline[j] EXCEPT !.since = @ \union {i}]
     ELSE timeline[j]]

FilesOf(i) == {f \in files : f.instant = i}
EntriesOf(i) == {e \in index : e.instant = i}
EntriesFor(some) ==
  LET last == CHOOSE n \in {e.at : e \in index} : \A e \in index : e.at <= n
  IN {[group |-> f.group, instant |-> f.instant, keys |-> KeysOf(f.rows), at |-> last + 1] :
        f \in some}

-----------------------------------------------------------------------------
Load == NewInstant(Nobody, "commit", "completed", {})
Loaded == {[group |-> <<1, k>>, instant |-> 1, rows |-> [None EXCEPT ![k] = 1]] : k \in Keys}
NoReader == [reads |-> FALSE, completed |-> {}, replaced |-> {}, rows |-> None]

Init ==
  /\ timeline = <<Load>>
  /\ files = Loaded
  /\ index = {[group |-> f.group, instant |-> 1, keys |-> KeysOf(f.rows), at |-> 1] : f \in Loaded}
  /\ step = [p \in Processes |-> "idle"]
  /\ doing = [p \in Processes |-> 0]
  /\ left = [p \in Processes |-> IF p \in Writers THEN Writes ELSE Attempts]
  /\ lock = Nobody
  /\ truth = [k \in Keys |-> 1]
  /\ reader = NoReader
  /\ reported = FALSE
  /\ budget = [crashes |-> Crashes, cleans |-> Cleans, reads |-> Reads]

=============================================================================
