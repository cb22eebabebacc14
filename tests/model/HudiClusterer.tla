--------------------------- MODULE HudiClusterer ----------------------------
(* A clusterer: `hudi-zorder cluster`.                                     *)
EXTENDS HudiWriter

\* Plans of which the executor, or the author who was to execute them at once, is dead.
BrokenPlans == {i \in PendingPlans : ~IsUnderWay(i)}

\* Clusterings whose executor has died between its commit and its last look: a heartbeat beside a
\* commit tells of it, since it is removed after that look.
Unlooked ==
  IF Mutation = "nobody looks in place of the dead" THEN {}
  ELSE {i \in Completed : IsClustering(i) /\ timeline[i].by /= Nobody /\ ~IsUnderWay(i)}

\* Looks in place of a dead executor; that is none of its own attempts. Which executions by others that
\* one knew of, it cannot tell; a rollback that has not ended before the commit, it finds.
ClustererLooksForTheDead(c) ==
  /\ step[c] = "idle"
  /\ \E i \in Unlooked :
       /\ doing' = [doing EXCEPT ![c] = i]
       /\ timeline' = [timeline EXCEPT ![i].executor = c,
            ![i].rolledBack = /\ @ /\ Mutation /= "a rollback that began before the commit is over"]
       /\ left' = [left EXCEPT ![c] = @ + 1]
       /\ Goto(c, "look again")
  /\ UNCHANGED <<files, index, lock, truth, reader, reported, budget>>

\* Takes an instant's time, and chooses the slices of all file groups that nobody has taken.
ClustererTakesInstant(c) ==
  /\ step[c] = "idle" /\ left[c] > 0
  /\ BrokenPlans = {} /\ Unlooked = {}
  /\ CanLock(c)
  /\ LET taken == GroupsOf(UNION {timeline[i].slices : i \in PendingPlans})
         busy == UNION {timeline[i].named : i \in PendingWrites}
         slices == {f \in Latest : f.group \notin taken \union busy}
     IN IF slices = {}
        THEN Ends(c) /\ UNCHANGED <<timeline, lock>>
        ELSE /\ timeline' = Append(timeline, NewInstant(c, "clustering", "unborn", slices))
             /\ doing' = [doing EXCEPT ![c] = Len(timeline) + 1]
             /\ Locked(c)
             /\ Goto(c, "plan")
             /\ UNCHANGED left
  /\ UNCHANGED <<files, index, truth, reader, reported, budget>>

\* The plan's requested instant appears: writers that look from now on see it.
ClustererPlans(c) ==
  /\ step[c] = "plan"
  /\ timeline' = [timeline EXCEPT ![doing[c]].state = "requested", ![doing[c]].since = {},
       ![doing[c]].before = PendingWrites]
  /\ Unlocked(c)
  /\ Goto(c, "begin")
  /\ UNCHANGED <<files, index, doing, left, truth, reader, reported, budget>>

\* Another process executes a plan for which nobody shows a heartbeat.
ExecutorPicks(c) ==
  /\ step[c] = "idle" /\ left[c] > 0 /\ c \in Executors
  /\ \E i \in PendingPlans :
       /\ ~Beats(i) \/ Mutation = "heartbeats are not heeded"
       /\ doing' = [doing EXCEPT ![c] = i]
       /\ Goto(c, IF BeginsAtOnce THEN "begin" ELSE "go inflight")
  /\ UNCHANGED <<timeline, files, index, left, lock, truth, reader, reported, budget>>

\* Hudi takes what is inflight for a failed execution, and deletes its files: by a rollback, which
\* the timeline tells of.
GoesInflight(c, next) ==
  LET i == doing[c]
  IN IF ~IsPending(i)
     THEN Ends(c) /\ UNCHANGED <<timeline, files, index>>
     ELSE /\ timeline' = [timeline EXCEPT ![i].state = "inflight", ![i].executor = c,
               ![i].rolledBack = FALSE]
          /\ files' = files \ FilesOf(i)
          /\ index' = index \ EntriesOf(i)
          /\ Goto(c, next)
          /\ UNCHANGED <<doing, left>>

SomebodyElseBeats(c) ==
  /\ Mutation /= "heartbeats are not heeded"
  /\ \E p \in Clusterers \ {c} :
       doing[p] = doing[c] /\ step[p] \notin {"begin", "go inflight", "beat"}

\* A plan goes inflight, and its executor shows a heartbeat; PlanInUseException if another does.
ClustererBegins(c) ==
  /\ step[c] = "begin"
  /\ BeginsAtOnce
  /\ IF SomebodyElseBeats(c)
     THEN Ends(c) /\ UNCHANGED <<timeline, files, index>>
     ELSE GoesInflight(c, "write")
  /\ UNCHANGED <<lock, truth, reader, reported, budget>>

\* The same as it is by Hudi's order: the files first, by a rollback that is planned under the lock,
\* the heartbeat after that.
ClustererGoesInflight(c) ==
  /\ step[c] \in {"begin", "go inflight"}
  /\ ~BeginsAtOnce
  /\ Is(doing[c], "inflight") => CanLock(c)
  /\ GoesInflight(c, "beat")
  /\ UNCHANGED <<lock, truth, reader, reported, budget>>

ClustererBeats(c) ==
  /\ step[c] = "beat"
  /\ IF SomebodyElseBeats(c)
     THEN Ends(c)
     ELSE Goto(c, "write") /\ UNCHANGED <<doing, left>>
  /\ UNCHANGED <<timeline, files, index, lock, truth, reader, reported, budget>>

\* Fails for a fault of its own, such as another version of Spark; the plan stays for its author.
ExecutorFails(c) ==
  /\ step[c] = "write" /\ timeline[doing[c]].by /= c
  /\ timeline' = IF Mutation = "another author's plan is deleted"
                 THEN [timeline EXCEPT ![doing[c]] = Gone("by a stranger")]
                 ELSE Set(doing[c], "state", "requested")
  /\ Ends(c)
  /\ UNCHANGED <<files, index, lock, truth, reader, reported, budget>>

\* Reads the slices, writes their rows to a new file group, and counts them.
ClustererWrites(c) ==
  /\ step[c] = "write"
  /\ LET i == doing[c]
         slices == timeline[i].slices
         rows == IF Mutation = "a row is dropped, and nobody counts"
                 THEN [Merged(slices) EXCEPT ![CHOOSE k \in Keys : Merged(slices)[k] /= 0] = 0]
                 ELSE Merged(slices)
     IN IF slices \subseteq files
        THEN /\ files' = files \union {[group |-> <<i, 1>>, instant |-> i, rows |-> rows]}
             /\ Goto(c, "look")
        ELSE Goto(c, "undo") /\ UNCHANGED files
  /\ UNCHANGED <<timeline, index, doing, left, lock, truth, reader, reported, budget>>

=============================================================================
