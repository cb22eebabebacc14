---------------------------- MODULE HudiRollback -----------------------------
(* The way back of a clustering: by its executor, which gives it up; by a  *)
(* clusterer, in place of who is dead; and by a user, who cancels it while *)
(* somebody may be executing it.                                           *)
EXTENDS HudiClustererCommits

\* The steps of a rollback, by who takes them.
Begun == [undo |-> "undoing", repair |-> "repairing", cancel |-> "cancelling"]
Deleted == [undoing |-> "undone", repairing |-> "repaired", cancelling |-> "cancelled"]

\* What an executor has left that was killed before it saw that a user had cancelled: its heartbeat
\* tells, or its markers.
Leftovers ==
  {i \in Instants : /\ timeline[i].ended = "by a user" /\ ~IsUnderWay(i)
                    /\ FilesOf(i) /= {} \/ EntriesOf(i) /= {}}

\* Rolls back what a dead executor has left.
ClustererRepairs(c) ==
  /\ step[c] = "idle"
  /\ \E i \in BrokenPlans \union Leftovers :
       /\ doing' = [doing EXCEPT ![c] = i]
       /\ Goto(c, "repair")
  /\ UNCHANGED <<timeline, files, index, left, lock, truth, reader, reported, budget>>

\* `hudi-zorder cancel --force`, of any plan.
CancellerPicks(c) ==
  /\ step[c] = "idle" /\ left[c] > 0
  /\ IF PendingPlans = {}
     THEN Ends(c)
     ELSE /\ \E i \in PendingPlans : doing' = [doing EXCEPT ![c] = i]
          /\ Goto(c, "cancel")
          /\ UNCHANGED left
  /\ UNCHANGED <<timeline, files, index, lock, truth, reader, reported, budget>>

\* Nobody is left who goes on with it; that of a repair is none of the clusterer's own attempts.
RollbackEnds(c) ==
  /\ step' = [step EXCEPT ![c] = "idle"]
  /\ doing' = [doing EXCEPT ![c] = 0]
  /\ left' = IF step[c] \in {"repair", "repairing", "repaired"} THEN left
             ELSE [left EXCEPT ![c] = @ - 1]

\* Looks once more under the lock, which it keeps, and leaves what is committed by then. The rollback
\* shows on the timeline from here on.
RollbackBegins(c) ==
  /\ step[c] \in DOMAIN Begun
  /\ CanLock(c)
  /\ LET i == doing[c]
     IN IF step[c] = "cancel" /\ Is(i, "requested") \* there is no more than the plan
        THEN /\ timeline' = [timeline EXCEPT ![i] = Gone("by a user")]
             /\ RollbackEnds(c)
             /\ UNCHANGED lock
        ELSE
        IF \/ IsPending(i)
           \/ step[c] = "undo" /\ ~Is(i, "completed")
           \/ i \in Leftovers
           \/ Mutation = "who cancels goes by what it read before it had the lock"
        THEN /\ timeline' = IF IsPending(i) \/ Is(i, "completed") THEN Set(i, "rolledBack", TRUE)
                            ELSE timeline
             /\ IF Mutation = "who cancels keeps no lock" THEN UNCHANGED lock ELSE Locked(c)
             /\ Goto(c, Begun[step[c]])
             /\ UNCHANGED <<doing, left>>
        ELSE RollbackEnds(c) /\ UNCHANGED <<timeline, lock>>
  /\ UNCHANGED <<files, index, truth, reader, reported, budget>>

\* As any rollback, it deletes the files and the metadata table's entries ...
RollbackDeletesFiles(c) ==
  /\ step[c] \in DOMAIN Deleted
  /\ LET i == doing[c]
     IN IF Mutation = "a rollback ends the instant before it deletes the files"
        THEN /\ timeline' = [timeline EXCEPT ![i] = Gone("by its executor")]
             /\ UNCHANGED <<files, index>>
        ELSE /\ files' = files \ FilesOf(i)
             /\ index' = index \ EntriesOf(i)
             /\ UNCHANGED timeline
  /\ Goto(c, Deleted[step[c]])
  /\ UNCHANGED <<doing, left, lock, truth, reader, reported, budget>>

\* ... and takes the plan off the timeline. Its executor has what it wrote since deleted too.
RollbackRemoves(c) ==
  /\ step[c] \in {"undone", "repaired", "cancelled"}
  /\ LET i == doing[c]
     IN IF Is(i, "completed") THEN UNCHANGED <<timeline, files, index>>
        ELSE IF step[c] = "cancelled"
        THEN /\ timeline' = [timeline EXCEPT ![i] = Gone("by a user")]
             /\ UNCHANGED <<files, index>>
        ELSE /\ timeline' = [timeline EXCEPT ![i] = Gone("by its executor")]
             /\ files' = files \ FilesOf(i)
             /\ index' = index \ EntriesOf(i)
  /\ Unlocked(c)
  /\ RollbackEnds(c)
  /\ UNCHANGED <<truth, reader, reported, budget>>

RollbackSteps(c) == RollbackBegins(c) \/ RollbackDeletesFiles(c) \/ RollbackRemoves(c)

CancellerSteps(c) == CancellerPicks(c) \/ RollbackSteps(c)

ClustererSteps(c) ==
  \/ ClustererRepairs(c) \/ ClustererLooksForTheDead(c)
  \/ ClustererTakesInstant(c) \/ ClustererPlans(c)
  \/ ExecutorPicks(c) \/ ExecutorFails(c)
  \/ ClustererBegins(c) \/ ClustererGoesInflight(c) \/ ClustererBeats(c)
  \/ ClustererWrites(c) \/ ClustererLooks(c)
  \/ ClustererCommitsMetadata(c) \/ ClustererCompletes(c)
  \/ ClustererLooksAgain(c) \/ ClustererLooksAtItsOwn(c)
  \/ ClustererReports(c) \/ ClustererUnpublishes(c) \/ RollbackSteps(c)

=============================================================================
