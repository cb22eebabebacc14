------------------------ MODULE HudiClustererCommits ------------------------
(* A clusterer from its look before the commit to what comes after it.     *)
EXTENDS HudiClusterer

\* Whether a commit that was completed since a clustering's instant touches what it replaces:
\* CommitsSince.refuseTouching, FileGroups.touched.
IsTouched(i, groups) ==
  \E j \in CompletedSince(i) :
    \/ timeline[j].replaces \intersect groups /= {}
    \/ /\ timeline[j].named \intersect groups /= {}
       /\ Mutation /= "only log files are looked for"

\* ConcurrentWrites.refuseOtherFiles: the slices are not what they were when they were planned.
AreChanged(i) ==
  IF Mutation = "only log files are looked for"
  THEN ~(GroupsOf(timeline[i].slices) \subseteq GroupsOf(Latest))
  ELSE ~(timeline[i].slices \subseteq Latest)

\* ConcurrentWrites.refuseRivals.
HasRival(i) ==
  \/ ~Is(i, "inflight")
  \/ \E j \in PendingPlans :
       j < i /\ GroupsOf(timeline[j].slices) \intersect GroupsOf(timeline[i].slices) /= {}

\* Rollbacks.refuseOwn: another process has begun to execute the plan since, or to cancel it.
IsRolledBack(c) ==
  \/ timeline[doing[c]].rolledBack
  \/ /\ timeline[doing[c]].executor /= c
     /\ Mutation /= "rollbacks by another executor are not looked for"

\* WriteInFlight.isDead: only a writer that beats, as it does with a lock, is known to be dead.
IsKnownDead(j) == WritersLock /\ ~IsUnderWay(j)

\* WriteInFlight.effect, CERTAIN: an inflight instant that names the file groups.
AreBeingWritten(groups) ==
  \E j \in PendingWrites : ~IsKnownDead(j) /\ timeline[j].named \intersect groups /= {}

\* WriteInFlight.effect, UNKNOWN: what may not have seen the plan, or heeds none. Where all lock,
\* Hudi checks those that begin later, so that a wait for them may end: WriteInFlight.waitBesideOthers.
Unknown(before) ==
  {j \in PendingWrites :
     /\ ~IsKnownDead(j)
     /\ WritersLock /\ ClusterersLock => j \in before
     /\ IF timeline[j].action = "replacecommit" THEN TRUE
        ELSE Is(j, "requested") /\ (ClusterersLock \/ j \in before)
     /\ Mutation /= "writers that began before the plan are not waited for"}

\* Before the commit: waits for writers that may not have seen the plan, and gives way. A wait may
\* at any time have lasted too long, and ends then as a conflict does.
ClustererLooks(c) ==
  /\ step[c] = "look"
  /\ LET i == doing[c]
         groups == GroupsOf(timeline[i].slices)
         conflict == \/ HasRival(i) \/ IsRolledBack(c) \/ AreChanged(i)
                     \/ IsTouched(i, groups) \/ AreBeingWritten(groups)
         wait == Unknown(timeline[i].before) /= {}
     IN \/ (conflict \/ wait) /\ Mutation /= "no look before the commit" /\ Goto(c, "undo")
        \/ ~(conflict \/ wait) /\ Goto(c, "commit")
        \/ Mutation = "no look before the commit" /\ Goto(c, "commit")
  /\ UNCHANGED <<timeline, files, index, doing, left, lock, truth, reader, reported, budget>>

\* PreferWriterConflictResolutionStrategy, of a clustering: also what inflight instants name.
ClustererConflicts(i) ==
  LET mine == GroupsOf(timeline[i].slices) \union {<<i, 1>>}
  IN \/ \E j \in CompletedSince(i) : Changed(j) \intersect mine /= {}
     \/ \E j \in PendingWrites : timeline[j].named \intersect mine /= {}

\* ClusteringAttempt.underLock: who had the lock before may have taken the plan away.
IsTakenAway(c) == ~Is(doing[c], "inflight") \/ IsRolledBack(c)

\* The metadata table is told of what was written, be it deleted by now.
ToldOf(i) ==
  LET there == {f \in FilesOf(i) : f.group = <<i, 1>>}
  IN IF there /= {} THEN there ELSE {[group |-> <<i, 1>>, instant |-> i, rows |-> None]}

ClustererCommitsMetadata(c) ==
  /\ step[c] = "commit"
  /\ CanLock(c)
  /\ LET i == doing[c]
         conflict == \/ /\ ClustererConflicts(i)
                        /\ Mutation /= "no conflict is looked for under the lock"
                     \/ LooksUnderLock /\ IsTakenAway(c)
     IN IF ClusterersLock /\ conflict
        THEN Goto(c, "undo") /\ UNCHANGED <<files, index, lock>>
        ELSE /\ Locked(c)
                        /\ IF Mutation = "statuses are computed twice"
                THEN files' = files \union
                       {[f EXCEPT !.group = <<i, 2>>] : f \in FilesOf(i)}
                ELSE UNCHANGED files
             /\ index' = IF Mutation = "the metadata table comes after the commit" THEN index
                         ELSE index \union EntriesFor(ToldOf(i))
             /\ Goto(c, "complete")
  /\ UNCHANGED <<timeline, doing, left, truth, reader, reported, budget>>

\* From here on queries read the new file group; Hudi refuses if the inflight instant is gone, and
\* what the metadata table was told by then is taken out: LastLook.make. The heartbeat tells of it
\* until then.
ClustererCompletes(c) ==
  /\ step[c] = "complete"
  /\ LET i == doing[c]
     IN IF Is(i, "inflight")
        THEN /\ timeline' = [WithCompleted(i, GroupsOf(timeline[i].slices)) EXCEPT
                  ![i].before = Unknown(@)]
             /\ Goto(c, "look again")
             /\ UNCHANGED <<doing, left>>
        ELSE IF Mutation = "who finds no plan to complete leaves what the metadata table has of it"
        THEN timeline' = [timeline EXCEPT ![i].ended = "by its executor"] /\ Ends(c)
        ELSE Goto(c, "undo") /\ UNCHANGED <<timeline, doing, left>>
  /\ Unlocked(c)
  /\ UNCHANGED <<files, index, truth, reader, reported, budget>>

\* The heartbeat is removed: nobody looks again.
WithLooked(i) ==
  [timeline EXCEPT ![i].since = {}, ![i].before = {}, ![i].by = Nobody, ![i].executor = Nobody]

\* After the commit: what is hidden by it makes it roll back; while nobody can tell, it waits for
\* those that had not seen the commit, at most until it leaves the look to who comes next ...
ClustererLooksAgain(c) ==
  /\ step[c] = "look again"
  /\ LET i == doing[c]
         groups == timeline[i].replaces
         unknown == Unknown(timeline[i].before) \intersect timeline[i].before
         certain == IsRolledBack(c) \/ IsTouched(i, groups) \/ AreBeingWritten(groups)
     IN IF Mutation = "no look after the commit" THEN Ends(c) /\ timeline' = WithLooked(i)
        ELSE IF certain THEN Goto(c, "look at its own") /\ UNCHANGED <<timeline, doing, left>>
        ELSE Ends(c) /\ IF unknown = {} THEN timeline' = WithLooked(i) ELSE UNCHANGED timeline
  /\ UNCHANGED <<files, index, lock, truth, reader, reported, budget>>

\* ... unless somebody has built on it, may do so or is about to by a plan, or what it replaced is
\* cleaned: HiddenRowsException. While nobody can tell that, who comes next tries. The lock is held
\* until others see the table as it was.
ClustererLooksAtItsOwn(c) ==
  /\ step[c] = "look at its own"
  /\ LET i == doing[c]
         mine == {<<i, 1>>}
         clustered == GroupsOf(UNION {timeline[j].slices : j \in PendingPlans})
         certain == \/ IsTouched(i, mine) \/ AreBeingWritten(mine)
                    \/ /\ mine \intersect clustered /= {}
                       /\ Mutation /= "plans for what it has written are not looked for"
                    \/ ~(timeline[i].slices \subseteq files)
         untold == ~certain /\ Unknown(Instants) /= {}
     IN /\ IF untold \/ Mutation = "the way back is not under the lock of the look"
           THEN UNCHANGED lock
           ELSE CanLock(c) /\ Locked(c)
        /\ IF untold THEN Ends(c)
           ELSE Goto(c, IF certain THEN "report" ELSE "unpublish") /\ UNCHANGED <<doing, left>>
  /\ UNCHANGED <<timeline, files, index, truth, reader, reported, budget>>

ClustererReports(c) ==
  /\ step[c] = "report"
  /\ Ends(c) /\ Unlocked(c) /\ reported' = TRUE
  /\ timeline' = WithLooked(doing[c])
  /\ UNCHANGED <<files, index, truth, reader, budget>>

\* Hudi's rollback of what is completed makes it inflight again ...
ClustererUnpublishes(c) ==
  /\ step[c] = "unpublish"
  /\ timeline' = [timeline EXCEPT ![doing[c]].state = "inflight", ![doing[c]].replaces = {}]
  /\ Unlocked(c)
  /\ Goto(c, "undo")
  /\ UNCHANGED <<files, index, doing, left, truth, reader, reported, budget>>

=============================================================================
