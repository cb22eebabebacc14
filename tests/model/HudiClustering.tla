--------------------------- MODULE HudiClustering ---------------------------
(***************************************************************************)
(* Writers, clusterers, a cleaner and a reader of one Hudi table: what     *)
(* each does to the timeline, to the file slices and to the metadata       *)
(* table, step by step, so that a checker can interleave the steps in      *)
(* every order and kill a process between any two of them. README.md maps  *)
(* each step to the class and method that takes it.                        *)
(*                                                                         *)
(* To be read in this order: HudiTable, the state; HudiWriter;             *)
(* HudiClusterer, up to the files; HudiClustererCommits; HudiRollback; and *)
(* this module, the cleaner, the reader, what kills, and the invariants.   *)
(***************************************************************************)
EXTENDS HudiRollback

(* A cleaner, a reader, and what kills a process.                          *)

\* A clustering is committed, and its last look may yet find a reason to take it back.
IsLookedAt(i) ==
  \E c \in Clusterers :
    doing[c] = i /\ step[c] \in {"look again", "look at its own", "report", "unpublish"}
MayBeTakenBack(i) == IsLookedAt(i) \/ i \in Unlooked

\* Whether invariants are asked of: HiddenRowsException says that rows are hidden.
AtRest == OnlyAtRest => ~reported /\ ~\E i \in Instants : MayBeTakenBack(i)

\* As many commits are retained as whatever is under way may need.
IsRetained(f) ==
  \/ \E p \in Processes : doing[p] /= 0 /\ f \in timeline[doing[p]].slices
  \/ \E i \in Instants : \/ IsPending(i) /\ f \in timeline[i].slices
                         \/ IsLookedAt(i) /\ f.group \in timeline[i].replaces
  \/ reader.reads /\ f \in LatestOf(files, reader.completed, reader.replaced)

\* Deletes a slice that is replaced or outdated.
CleanerCleans ==
  /\ budget.cleans > 0
  /\ \E f \in files \ Latest :
       /\ f.instant \in Completed
       /\ ~IsRetained(f) \/ Mutation = "the cleaner retains nothing"
       /\ files' = files \ {f}
       /\ index' = LET others == {e \in index : e.instant /= f.instant \/ e.group /= f.group}
                   IN IF Mutation = "the cleaner drops the keys of what it cleans"
                      THEN {[e EXCEPT !.keys = @ \ KeysOf(f.rows)] : e \in others}
                      ELSE others
  /\ budget' = [budget EXCEPT !.cleans = @ - 1]
  /\ UNCHANGED <<timeline, step, doing, left, lock, truth, reader, reported>>

\* A reader takes the timeline once, and reads the files that it names from then on.
ReaderBegins ==
  /\ budget.reads > 0 /\ ~reader.reads
  /\ AtRest
  /\ reader' = [reads |-> TRUE, completed |-> Completed, replaced |-> Replaced, rows |-> truth]
  /\ budget' = [budget EXCEPT !.reads = @ - 1]
  /\ UNCHANGED <<timeline, files, index, step, doing, left, lock, truth, reported>>

\* A process is killed, and started again with the same command.
Crash(p) ==
  /\ budget.crashes > 0 /\ doing[p] /= 0
  /\ step' = [step EXCEPT ![p] = "idle"]
  /\ doing' = [doing EXCEPT ![p] = 0]
  /\ lock' = IF lock = p THEN Dead ELSE lock
  /\ budget' = [budget EXCEPT !.crashes = @ - 1]
  /\ UNCHANGED <<timeline, files, index, left, truth, reader, reported>>

\* A task of an execution that was given up was not stopped, and writes a file now.
LateTask ==
  /\ Mutation = "a task outlives its execution"
  /\ \E i \in Instants :
       /\ IsClustering(i) /\ Is(i, "inflight") /\ budget.crashes < Crashes
       /\ files' = files \union
            {[group |-> <<i, 2>>, instant |-> i, rows |-> Merged(timeline[i].slices)]}
       /\ files' /= files
  /\ UNCHANGED <<timeline, index, step, doing, left, lock, truth, reader, reported, budget>>

AllIsDone ==
  /\ \A p \in Processes : step[p] = "idle" /\ left[p] = 0
  /\ BrokenPlans = {} /\ Unlooked = {} /\ Leftovers = {}

Next ==
  \/ \E w \in Writers : WriterSteps(w)
  \/ \E c \in Clusterers : ClustererSteps(c)
  \/ \E c \in Cancellers : CancellerSteps(c)
  \/ \E p \in Processes : Crash(p)
  \/ CleanerCleans \/ ReaderBegins \/ LateTask
  \/ AllIsDone /\ UNCHANGED vars

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold in every state.                                          *)

Values(slices, key) == {f.rows[key] : f \in Holding(slices, key)}

\* Whatever a reader reads, and whenever, is the table as it was when the reader began.
ConsistentRead ==
  reader.reads =>
    LET seen == LatestOf(files, reader.completed, reader.replaced)
    IN \A k \in Keys : Values(seen, k) = {reader.rows[k]} /\ Cardinality(Holding(seen, k)) = 1

\* Until others write to it, what a clustering has written has the rows that it replaces, each once.
ClusteringPreservesRows ==
  AtRest =>
  \A i \in {i \in Completed : IsClustering(i)} :
    LET written == FilesOf(i)
        read == timeline[i].slices
        isLatest == /\ <<i, 1>> \notin Replaced
                    /\ ~\E f \in files : f.group = <<i, 1>> /\ f.instant \in Completed \ {i}
    IN isLatest =>
         \A k \in Keys : /\ Values(written, k) = Values(read, k)
                         /\ Cardinality(Holding(written, k)) = Cardinality(Holding(read, k))

NoKeyInTwoGroups == AtRest => \A k \in Keys : Cardinality(Holding(Latest, k)) <= 1

\* The metadata table lists the files that there are, and knows the file group of each key.
IndexIsData ==
  AtRest =>
    LET listed == LatestOf(index, Completed, Replaced)
    IN /\ {<<e.group, e.instant>> : e \in listed} = {<<f.group, f.instant>> : f \in Latest}
       /\ \A k \in Keys : Location(k) = GroupsOf(Holding(Latest, k))

\* Every acknowledged write is in the table.
NoLostUpdate == AtRest => \A k \in Keys : truth[k] \in Values(Latest, k)

\* When all commands have ended, whatever was killed meanwhile, nothing is left behind but writes
\* that the next one rolls back. That commands do end, deadlock checking shows.
Recoverable ==
  AllIsDone =>
    /\ PendingPlans = {}
    /\ lock \in {Nobody, Dead}
    /\ \A f \in files \union index : f.instant \in Completed \union PendingWrites

\* A plan is ended by who executes it, by a user who cancels it, or when nobody can.
PlansAreKept == \A i \in Instants : timeline[i].ended /= "by a stranger"

=============================================================================
