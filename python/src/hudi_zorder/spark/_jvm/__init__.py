"""The one room that touches py4j, and the Java objects behind PySpark's.

Everything comes back as texts, numbers and lists; no Java object leaves.
"""
