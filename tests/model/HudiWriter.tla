----------------------------- MODULE HudiWriter -----------------------------
(* A writer.                                                               *)
EXTENDS HudiTable

\* Under the eager policy all that is pending is taken for failed, under the lazy one, which comes
\* with a lock, what beats no more.
FailedWrites == {i \in PendingWrites : WritersLock => ~IsUnderWay(i)}

\* Rolls back what failed, and creates the requested instant.
WriterRequests(w, action) ==
  /\ step[w] = "idle" /\ left[w] > 0
  /\ CanLock(w) /\ UNCHANGED lock
  /\ LET rolledBack == [i \in Instants |->
                          IF i \in FailedWrites THEN Gone("by the next write") ELSE timeline[i]]
     IN timeline' = Append(rolledBack, NewInstant(w, action, "requested", {}))
  /\ files' = {f \in files : f.instant \notin FailedWrites}
  /\ index' = {e \in index : e.instant \notin FailedWrites}
  /\ doing' = [doing EXCEPT ![w] = Len(timeline) + 1]
  /\ Goto(w, IF action = "commit" THEN "look" ELSE "look at all")
  /\ UNCHANGED <<left, truth, reader, reported, budget>>

\* A refused write leaves its instant for the next one to roll back.
WriterIsRefused(w) ==
  /\ Ends(w)
  /\ Unlocked(w)
  /\ UNCHANGED <<timeline, files, index, truth, reader, reported, budget>>

\* Finds the file group of a key, and is refused if a clustering is planned for it.
WriterLooks(w, key) ==
  /\ step[w] = "look"
  /\ LET slices == {f \in Latest : f.group \in Location(key)}
         planned == GroupsOf(UNION {timeline[i].slices : i \in PendingPlans})
     IN \/ /\ GroupsOf(slices) \intersect planned /= {}
           /\ WriterIsRefused(w)
        \/ /\ GroupsOf(slices) \intersect planned = {} \/ UpdatesAllowed
           /\ slices /= {}
           /\ timeline' = [timeline EXCEPT ![doing[w]].slices = slices, ![doing[w]].key = key]
           /\ Goto(w, "write")
           /\ UNCHANGED <<files, index, doing, left, lock, truth, reader, reported, budget>>

\* An overwrite replaces what it sees, and heeds no plan.
OverwriterLooks(w) ==
  /\ step[w] = "look at all"
  /\ timeline' = Set(doing[w], "slices", Latest)
  /\ Goto(w, "write")
  /\ UNCHANGED <<files, index, doing, left, lock, truth, reader, reported, budget>>

\* Names in the inflight instant the file groups that it changes, and writes a new slice of each.
WriterWrites(w) ==
  /\ step[w] = "write"
  /\ LET i == doing[w]
         key == timeline[i].key
         upserts == key /= 0
         slice == CHOOSE f \in timeline[i].slices : TRUE
         written == IF upserts
                    THEN [slice EXCEPT !.instant = i, !.rows = [@ EXCEPT ![key] = i]]
                    ELSE [group |-> <<i, 1>>, instant |-> i, rows |-> [k \in Keys |-> i]]
     IN /\ files' = files \union {written}
        /\ timeline' = [timeline EXCEPT ![i].state = "inflight",
             ![i].named = IF upserts THEN {slice.group} ELSE {}]
        /\ Goto(w, "commit")
  /\ UNCHANGED <<index, doing, left, lock, truth, reader, reported, budget>>

\* What a completed instant has changed: Hudi's ConcurrentOperation.
Changed(i) == timeline[i].replaces \union
              (IF IsClustering(i) \/ timeline[i].action = "replacecommit" THEN {<<i, 1>>}
               ELSE timeline[i].named)
CompletedSince(i) == timeline[i].since \intersect Completed

\* PreferWriterConflictResolutionStrategy, of a writer: what was completed since it began.
WriterConflicts(i) ==
  LET mine == timeline[i].named \union
              (IF timeline[i].action = "replacecommit" THEN GroupsOf(timeline[i].slices) ELSE {})
  IN \E j \in CompletedSince(i) : Changed(j) \intersect mine /= {}

WriterCommitsMetadata(w) ==
  /\ step[w] = "commit"
  /\ CanLock(w)
  /\ LET i == doing[w]
     IN IF WritersLock /\ WriterConflicts(i)
           /\ Mutation /= "no conflict is looked for under the lock"
        THEN WriterIsRefused(w)
        ELSE /\ index' = index \union EntriesFor(FilesOf(i))
             /\ Locked(w)
                        /\ Goto(w, "complete")
             /\ UNCHANGED <<timeline, files, doing, left, truth, reader, reported, budget>>

\* From here on the write is in the table, and acknowledged.
WriterCompletes(w) ==
  /\ step[w] = "complete"
  /\ LET i == doing[w]
         key == timeline[i].key
     IN /\ timeline' = [WithCompleted(i, IF key = 0 THEN GroupsOf(timeline[i].slices) ELSE {})
                       EXCEPT ![i].slices = {}, ![i].key = 0, ![i].since = {}, ![i].by = Nobody]
        /\ truth' = [k \in Keys |-> IF key \in {0, k} THEN i ELSE truth[k]]
  /\ Unlocked(w)
  /\ Ends(w)
  /\ UNCHANGED <<files, index, reader, reported, budget>>

WriterSteps(w) ==
  \/ WriterRequests(w, "commit")
  \/ Overwrites /\ WriterRequests(w, "replacecommit")
  \/ \E key \in Keys : WriterLooks(w, key)
  \/ OverwriterLooks(w)
  \/ WriterWrites(w)
  \/ WriterCommitsMetadata(w)
  \/ WriterCompletes(w)

=============================================================================
